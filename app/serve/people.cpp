#include "app/serve/people.h"

#include "app/serve/protocol.h"

#include <algorithm>
#include <utility>

namespace gravlab {

Person* People::find(std::uint32_t id) {
    const auto found = std::ranges::find(all_, id, &Person::id);
    return found == all_.end() ? nullptr : &*found;
}

const Person& People::enter(bool host, std::string name, const std::string& seat, std::string newSeat, double now) {
    update(now);
    const auto before = std::ranges::find_if(all_, [&](const Person& one) {
        return !seat.empty() && one.left >= 0 && one.host == host && equalSecrets(one.seat, seat);
    });
    if (before != all_.end()) {
        before->left = -1;
        if (host && driver_ == 0) driver_ = before->id;
        return *before;
    }
    const std::uint32_t id = ++last_;
    if (name.empty()) name = (host ? "host " : "viewer ") + std::to_string(id);
    all_.push_back({id, std::move(name), std::move(newSeat), host});
    if (host && driver_ == 0) driver_ = id;
    return all_.back();
}

void People::leave(std::uint32_t id, double now) {
    if (Person* one = find(id)) {
        one->left = now;
        one->asks = false;
    }
}

bool People::update(double now) {
    constexpr double kKept = 30;  // [s] for a place whose connection is broken
    const auto gone = [&](const Person& one) { return one.left >= 0 && now - one.left > kKept; };
    const bool changed = std::erase_if(all_, gone) > 0;
    if (driver_ == 0 || find(driver_)) return changed;
    // The wheel goes back to a host who is there.
    const auto host = std::ranges::find_if(all_, [](const Person& one) { return one.host && one.left < 0; });
    driver_ = host == all_.end() ? 0 : host->id;
    return true;
}

bool People::driverIsHost() const {
    return driver_ == 0 || std::ranges::any_of(all_, [&](const Person& one) { return one.id == driver_ && one.host; });
}

bool People::ask(std::uint32_t id) {
    Person* one = find(id);
    return one && id != driver_ && !std::exchange(one->asks, true);
}

bool People::give(std::uint32_t from, std::uint32_t to) {
    const Person* giver = find(from);
    Person* taker = find(to);
    if (!giver || !taker || taker->left >= 0 || to == driver_ || (from != driver_ && !giver->host)) return false;
    driver_ = to;
    taker->asks = false;
    return true;
}

bool People::takeWheel(std::uint32_t id) {
    const Person* one = find(id);
    return one && one->host && id != driver_ && give(id, id);
}

}  // namespace gravlab
