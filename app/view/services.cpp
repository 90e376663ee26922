#include "app/view/services.h"

#include <algorithm>
#include <new>

namespace gravlab {

void measureBeside(News& news, bool realTime, const std::function<void()>& measure) {
    try {
        measure();
    } catch (const std::bad_alloc&) {
        if (!realTime) throw;
        news.warn("There was not enough memory to measure the run; it goes on.");
    }
}

void Services::follow(const RunHost& runs) {
    for (Service* service : all) service->follow(runs);
}

void Services::advance(const ServiceFrame& frame) {
    for (Service* service : all) measureBeside(frame.reports.news, frame.realTime, [&] { service->advance(frame); });
}

void Services::look(const ServiceFrame& frame) {
    for (Service* service : all) measureBeside(frame.reports.news, frame.realTime, [&] { service->look(frame); });
}

void Services::readFacts(Facts& facts) const {
    for (const Service* service : all) service->readFacts(facts);
}

bool Services::busy() const {
    return std::ranges::any_of(all, [](const Service* service) { return service->busy(); });
}

}  // namespace gravlab
