#include "app/lab/lab_loop.h"

#include "app/host_clock.h"
#include "render/finish_drawing.h"

#include <algorithm>
#include <memory>

namespace gravlab {

void LabLoop::advance(Lab& lab, Document& document, RunHost& host) {
    constexpr double kFactsInterval = 0.5;  // [s]; asking the driver costs some microseconds
    if (const double now = hostClock(); document.labPanel.open && now - launchReadAt_ > kFactsInterval) {
        launchReadAt_ = now;
        document.facts.launch = host.simulation().backend().launchFacts();
    }
    // Only while it measures: work that is still on the device would be counted as the kernel's.
    constexpr double kLeastSlice = 0.02;  // [s]; shorter ones would measure little but their own ends
    lab.advance(std::max(document.intent.timeBudgetMs * 1e-3, kLeastSlice), [&] {
        host.simulation().backend().wait();
        finishDrawing();
    });
    if (const std::optional<TunedChoice> found = lab.takeTuned()) {
        SimulationSettings& settings = document.intent.settings;
        const Tuning& known = settings.tuning ? *settings.tuning : Tuning();
        settings.tuning = std::make_shared<Tuning>(known.with(*found));
        settings.kernel = {};
    }
}

void LabLoop::refreshMatrix(Lab& lab, const Document& document, RunHost& host, bool realTime) {
    constexpr double kInterval = 0.12;  // [s]
    if (!document.labPanel.shows(LabPage::matrix)) return;
    const double now = hostClock();
    const Facts& facts = document.facts;
    PairMatrix& matrix = lab.matrix;
    Backend& backend = host.simulation().backend();
    matrix.poll(backend);
    const bool asks = matrix.wantsPair();
    if (realTime && !asks && now - matrixMadeAt_ < kInterval) return;
    if (matrixStep_ == facts.step && matrixRun_ == facts.run && matrixRevision_ == facts.revision && !asks) return;
    matrixMadeAt_ = now;
    matrixStep_ = facts.step;
    matrixRun_ = facts.run;
    matrixRevision_ = facts.revision;
    if (matrix.paint(backend, facts.settings.backendOptions.device)) {
        if (realTime) return;
        backend.wait();  // a film shows the numbers of its own frame
        matrix.poll(backend);
        return;
    }
    ParticleSet bodies;
    if (facts.settings.bodies <= PairMatrix::kMostBodies) host.simulation().snapshot(bodies);
    matrix.compute(bodies.position, host.simulation().force());
    matrix.upload();
}

void LabLoop::dropPicture(Lab& lab) {
    lab.matrix.forgetTexture();
    matrixStep_ = -1;
}

}  // namespace gravlab
