#include "app/view/mark_reader.h"

#include "app/system/host_clock.h"
#include "sim/measure/orbit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kMostLabelled = 200;  // limit of bodies with names; the heaviest are read
constexpr double kMarkInterval = 0.1;       // [s], for more than a few bodies

bool arrowsWanted(const Document& document) {
    return document.overlay.velocities || document.overlay.forces || document.aim.dragging();
}
bool labelsWanted(const Document& document) { return document.overlay.labels && !document.facts.names->empty(); }

glm::dvec3 dvec(const Vec3d& v) { return {v.x, v.y, v.z}; }

}  // namespace

void MarkReader::read(Document& document, RunHost& host, bool realTime) {
    const Facts& facts = document.facts;
    const bool few = facts.bodies->size() <= Document::kFewBodies;
    const bool arrows = arrowsWanted(document) && (few || document.selected), labels = labelsWanted(document);
    const bool wanted = (arrows || labels) && facts.bodies->size() <= StateFeed::kMostUnfelt;
    if (!wanted) document.facts.marks.clear();
    const Question asked{facts.revision, document.selections, document.overlay};
    const bool onHost = host.simulation().backend().vertexSpace() == MemorySpace::host;
    states_.pace.interval = few ? 0 : kMarkInterval;
    const SampledFrame at{host.simulation(), host.first().feed(), hostClock(), !realTime || (few && onHost)};
    if (const auto state = states_.update(at, wanted ? &asked : nullptr)) take(*state, document, host);
}

void MarkReader::take(const FedState& state, Document& document, const RunHost& host) const {
    const ParticleSet& bodies = state.state.bodies;
    const ForceSettings force = host.simulation().force();
    const Facts& facts = document.facts;
    const bool few = bodies.size() <= Document::kFewBodies, forces = document.overlay.forces;
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const bool selected = document.selected && document.selected->id == bodies.id[i];
        if (few || selected || (labelsWanted(document) && !facts.names->nameOf(bodies.id[i]).empty())) wanted.push_back(i);
    }
    if (wanted.size() > kMostLabelled) {
        std::stable_sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
            const bool chosen = document.selected && document.selected->id == bodies.id[a];
            const bool other = document.selected && document.selected->id == bodies.id[b];
            return chosen != other ? chosen : std::abs(bodies.position[a].w) > std::abs(bodies.position[b].w);
        });
        wanted.resize(kMostLabelled);
    }
    std::vector<BodyMark> marks;
    marks.reserve(wanted.size());
    for (const std::size_t i : wanted) {
        const bool selected = document.selected && document.selected->id == bodies.id[i];
        BodyMark mark{.id = bodies.id[i],
                      .index = i,
                      .place = dvec(xyz(bodies.position[i])),
                      .velocity = dvec(xyz(bodies.velocity[i]))};
        if (forces && (few || selected)) mark.acceleration = dvec(accelerationOf(bodies, i, force));
        marks.push_back(mark);
    }
    document.facts.marks = std::move(marks);
}

}  // namespace gravlab
