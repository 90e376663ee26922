#include "app/view/colouring.h"

#include "app/model/look.h"
#include "app/system/host_clock.h"
#include "sim/forces/bonds/bonds.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace gravlab {
namespace {

double unitOf(const ColourMode& mode, const Scene& scene) { return mode.unit ? mode.unit(scene.units).scale : 1; }

std::vector<BodyTrait> traitsOf(const ColourMode& mode, const RunFacts& facts) {
    if (mode.ofDepth)
        return facts.groups ? depthTraits(*facts.bodies, facts.groups->ids, facts.groups->depths)
                            : depthTraits(*facts.bodies, {}, {});
    if (!mode.ofGroups) return bodyTraits(mode, *facts.bodies, facts.scene->view.stars, facts.scene->view.celestials);
    if (!facts.groups) return groupTraits(*facts.bodies, {}, {}, 0);
    return groupTraits(*facts.bodies, facts.groups->ids, facts.groups->labels, facts.groups->least);
}

/// Each scene has its own sky, by a hash of its name (the hash of G. Fowler, L. C. Noll and K.-P. Vo).
std::uint32_t skyOf(std::string_view scene) {
    std::uint32_t sum = 2166136261u;
    for (const char letter : scene) sum = (sum ^ static_cast<unsigned char>(letter)) * 16777619u;
    return sum;
}

}  // namespace

/// Gives the renderers the data of the colour mode.
void Colouring::dress(Document& document, RunHost& host) {
    const ColourMode& mode = document.shownMode();
    const int index = static_cast<int>(&mode - colourModes().data());
    const RunFacts& facts = document.facts;
    if (index == mode_ && appearanceRevision_ == host.appearanceRevision() &&
        (!(mode.ofGroups || mode.ofDepth) || groups_ == facts.groups))
        return;
    const std::vector<BodyTrait> traits = traitsOf(mode, facts);
    groups_ = facts.groups;
    for (Run& run : host.runs()) {
        if (index != mode_) {
            run.show(mode.published);
            run.publish();
        }
        run.renderer().setTraits(traits);
        run.renderer().setRadii(facts.bodies->radius);
        if (mode.ofDensity) run.renderer().setMasses(document.facts.bodies->mass);
    }
    densityAt_ = -1;
    if (mode.ofTraits) document.facts.colourRange = traitRange(mode, traits, unitOf(mode, *document.facts.scene));
    rangeKnown_ = mode.ofTraits && !mode.ofDensity;
    mode_ = index;
    appearanceRevision_ = host.appearanceRevision();
}

void Colouring::measureDensity(const Document& document, RunHost& host, bool realTime) {
    constexpr double kInterval = 0.1, kMostShare = 0.1;  // [s], and fraction of the device's time
    const double taken = 1e-3 * static_cast<double>(host.runs().size()) * host.first().renderer().densityMilliseconds();
    const double interval = std::max(kInterval, taken / kMostShare);
    const bool moved = document.facts.step != densityStep_;
    if (realTime && densityAt_ >= 0 && !(moved && hostClock() - densityAt_ > interval)) return;
    for (Run& run : host.runs())
        run.renderer().measureDensity(run.vertices(), static_cast<float>(document.facts.scene->view.distance));
    densityAt_ = hostClock();
    densityStep_ = document.facts.step;
}

/// A film waits for the range, so that its picture depends on the frame alone. A window uses the newest one.
void Colouring::findRange(Document& document, RunHost& host, bool realTime) {
    constexpr double kInterval = 0.25;  // [s]
    const ColourMode& mode = document.shownMode();
    ParticleRenderer& renderer = host.first().renderer();
    const bool wait = !realTime || !rangeKnown_;
    const double now = hostClock();
    if (wait || (!sampling_ && now - sampledAt_ > kInterval)) {
        renderer.sampleValues(host.first().vertices(), mode.ofDensity);
        sampling_ = true;
        sampledAt_ = now;
    }
    std::vector<float> values;
    if (!sampling_ || !renderer.takeValues(values, wait)) return;
    document.facts.colourRange = roundedRange(values, mode.logarithmic, unitOf(mode, *document.facts.scene));
    rangeKnown_ = true;
    sampling_ = false;
}

Look Colouring::look(Document& document, RunHost& host, bool realTime) {
    const ColourMode& mode = document.shownMode();
    dress(document, host);
    if (mode.ofDensity) measureDensity(document, host, realTime);
    if ((!mode.ofTraits || mode.ofDensity) && mode.unit && &mode != &colourModes().front())
        findRange(document, host, realTime);
    Look drawn = document.look;
    const ValueRange range = document.shownRange();
    drawn.valueFloor = static_cast<float>(range.low);
    drawn.valueScale = static_cast<float>(range.high);
    drawn.logarithmic = mode.logarithmic;
    drawn.useTraits = mode.ofTraits;
    drawn.colourMap = mapOf(mode, document.look.colourMap);
    drawn.photograph.on = mode.photograph;
    if (mode.photograph) fitGalaxies(drawn, document.facts.scene->units);
    const Stars stars = document.facts.scene->view.stars;
    drawn.photograph.starlight = stars == Stars::globular ? Starlight::clusters
                                 : stars == Stars::young  ? Starlight::nursery
                                                          : Starlight::galaxies;
    drawn.photograph.skyOf = skyOf(document.facts.scene->name);
    if (drawn.tone == ToneCurve::automatic) drawn.tone = mode.photograph ? ToneCurve::slide : ToneCurve::plate;
    constexpr double kAdaptation = 0.5, kFilmFrame = 1.0 / 60;  // [s]
    if (scene_ != document.facts.scene) drawnAt_ = -1;
    scene_ = document.facts.scene;
    const double now = hostClock(), passed = realTime ? now - drawnAt_ : kFilmFrame;
    drawn.adaptation = drawnAt_ < 0 ? 1 : static_cast<float>(1 - std::exp(-passed / kAdaptation));
    drawnAt_ = now;
    if (!document.intent.paused || document.gliding) adaptingUntil_ = now + 4 * kAdaptation;
    return drawn;
}

bool Colouring::adapting(const Document& document) const {
    return document.look.autoExposure && hostClock() < adaptingUntil_;
}

void Colouring::restart() {
    sampling_ = false;
    drawnAt_ = -1;
}

namespace {

// The end of the colours of bonds that have no largest strain.
constexpr float kColouredStrain = 0.1f;

std::shared_ptr<const Bonds> bondsOf(const Simulation& simulation) {
    for (const auto& term : simulation.terms())
        if (term->kind() == Bonds::kKind) return std::static_pointer_cast<const Bonds>(term);
    return nullptr;
}

std::vector<BondLine> linesOf(const Bonds& bonds, std::span<const std::uint32_t> ids) {
    const BondList& list = bonds.list();
    BodyPlaces places(ids);
    std::vector<BondLine> lines;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const std::uint32_t i = places.find(list.first[k]), j = places.find(list.second[k]);
        if (bonds.isBroken(k) || i == BodyPlaces::kMissing || j == BodyPlaces::kMissing) continue;
        const BondClass<double>& numbers = list.numbersOf(k);
        lines.push_back({i, j, static_cast<float>(numbers.length),
                         numbers.breaking > 0 ? static_cast<float>(numbers.breaking) : kColouredStrain});
    }
    return lines;
}

}  // namespace

void BondPicture::dress(Document& document, RunHost& host) {
    const bool same = appearanceRevision_ == host.appearanceRevision() && drawn_.size() == host.runs().size();
    if (!same) drawn_.assign(host.runs().size(), nullptr);
    std::size_t k = 0;
    for (Run& run : host.runs()) {
        std::shared_ptr<const ForceTerm>& drawn = drawn_[k++];
        const std::shared_ptr<const Bonds> bonds = bondsOf(run.simulation());
        if (same && drawn == bonds) continue;
        const std::vector<BondLine> lines = bonds ? linesOf(*bonds, document.facts.bodies->id) : std::vector<BondLine>();
        if (run.hasPicture()) run.renderer().setBonds(lines);
        drawn = bonds;
        if (k > 1) continue;
        document.facts.bondLines = lines.size();
        document.facts.brokenBonds = bonds ? bonds->broken().size() : 0;
    }
    appearanceRevision_ = host.appearanceRevision();
}

}  // namespace gravlab
