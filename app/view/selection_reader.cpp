#include "app/view/selection_reader.h"

#include "app/system/host_clock.h"
#include "sim/measure/orbit.h"
#include "sim/measure/pair_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gravlab {
namespace {

constexpr float kPickRadius = 12;  // pixels at scale 1

}  // namespace

void SelectionReader::find(Document& document, RunHost& host, bool realTime) {
    if (!document.pick && !pickWaits_ && !document.selected) return;
    if (!picker_) picker_ = std::make_unique<Picker>();
    if (document.pick) {
        const Document::SurfaceSpot spot = document.spotAt(document.pick->cursor, document.pick->surface);
        // An index that is found among the twin's vertices holds for the first run, too.
        picker_->ask(host.runs()[spot.run].vertices(),
                     spot.camera.projection(spot.size.x / std::max(spot.size.y, 1.0f)) * spot.camera.view(), spot.cursor,
                     spot.size, kPickRadius * document.ui.scale);
        pickWaits_ = true;
        document.pick.reset();
    }
    std::optional<std::size_t> body;
    if (pickWaits_ && picker_->take(body, !realTime)) {
        pickWaits_ = false;
        if (body)
            document.select(*body);
        else
            document.clearSelection();
    }
    if (!document.selected) return;
    BodyReadout& readout = *document.selected;
    picker_->watch(host.first().vertices(), readout.index);
    ParticleVertex vertex{};
    if (picker_->takeWatched(vertex, !realTime)) {
        readout.position = {vertex.x, vertex.y, vertex.z};
        readout.placed = true;
        // Where the bodies are too many to copy, the value of the picture is used.
        const ColourMode& mode = document.shownMode();
        if (document.facts.bodies->size() > StateFeed::kMostUnfelt && mode.published == VertexValue::speed && !mode.ofTraits)
            readout.speed = static_cast<double>(vertex.value);
    }
    if (document.follow && readout.placed) document.aimAt(readout.position);
}

void SelectionReader::read(Document& document, RunHost& host, bool realTime) {
    const SampledFrame at{host.simulation(), host.first().feed(), hostClock(), !realTime};
    Question wish{document.selections, document.orbitAround};
    const Question* question = document.selected ? &wish : nullptr;
    if (states_.follow(at, question)) nearestAt_ = -1;
    if (!question) return;
    findNeighbours(document, host, realTime);
    const bool few = document.facts.bodies->size() <= StateFeed::kMostUnfelt;
    if (const auto state = states_.update(at, question, few)) readFrom(*state, document, host);
}

/// Needs a state of all bodies, so it runs only occasionally, and never for very many bodies.
void SelectionReader::readFrom(const FedState& state, Document& document, const RunHost& host) {
    BodyReadout& readout = *document.selected;
    const ParticleSet& bodies = state.state.bodies;
    const Double4 &x = bodies.position[readout.index], &v = bodies.velocity[readout.index];
    const double response = isHeld(v) ? host.responseOf(readout.id) : v.w;
    const ForceSettings force = host.simulation().force();
    readout.mass = response != 0 ? x.w / response : 0;
    readout.speed = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    readout.energy = specificEnergy(bodies, readout.index, termsOf(force, state.state.others), response);
    readout.bound = isBound(*readout.energy, force);
    readout.orbit.reset();
    std::optional<std::size_t> centre;
    if (document.orbitAround) {
        const auto found = std::find(bodies.id.begin(), bodies.id.end(), *document.orbitAround);
        if (found != bodies.id.end()) centre = static_cast<std::size_t>(found - bodies.id.begin());
    }
    if (!centre || *centre == readout.index) centre = centreOfOrbit(bodies, readout.index, force);
    if (centre)
        if (const std::optional<Orbit> orbit = orbitAbout(bodies, readout.index, *centre, force))
            readout.orbit = OrbitReadout{bodies.id[*centre], *orbit};
}

/// Searches occasionally on the GPU; the result arrives a frame or two later.
void SelectionReader::findNeighbours(Document& document, RunHost& host, bool realTime) {
    if (!nearest_) nearest_ = std::make_unique<NearestBodies>();
    const double now = hostClock();
    const std::int64_t step = document.facts.step;
    const bool due = nearestAt_ < 0 || (nearestStep_ != step && (!realTime || now - nearestAt_ > kInterval));
    if (due && (nearestAt_ < 0 || !nearest_->underWay())) {
        nearest_->ask(host.first().vertices(), document.selected->index);
        nearestAt_ = now;
        nearestStep_ = step;
    }
    std::vector<NearBody> found;
    if (!nearest_->take(found, !realTime)) return;
    document.selected->nearest.clear();
    const BodyFacts& bodies = *document.facts.bodies;
    for (const NearBody& body : found)
        if (body.index < bodies.size())
            document.selected->nearest.push_back({body.index, bodies.id[body.index], static_cast<double>(body.distance)});
}

void SelectionReader::dropPicture() {
    picker_.reset();
    nearest_.reset();
    pickWaits_ = false;
}

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
    const RunFacts& facts = document.facts;
    const bool few = facts.bodies->size() <= Document::kFewBodies;
    const bool arrows = arrowsWanted(document) && (few || document.selected), labels = labelsWanted(document);
    const bool wanted = (arrows || labels) && facts.bodies->size() <= StateFeed::kMostUnfelt;
    if (!wanted) document.facts.marks.clear();
    const Question wish{facts.revision, document.selections, document.overlay};
    const bool onHost = host.simulation().backend().vertexSpace() == MemorySpace::host;
    states_.pace.interval = few ? 0 : kMarkInterval;
    const SampledFrame at{host.simulation(), host.first().feed(), hostClock(), !realTime || (few && onHost)};
    if (const auto state = states_.update(at, wanted ? &wish : nullptr)) take(*state, document, host);
}

void MarkReader::take(const FedState& state, Document& document, const RunHost& host) const {
    const ParticleSet& bodies = state.state.bodies;
    const ForceSettings force = host.simulation().force();
    const RunFacts& facts = document.facts;
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
