// The table of laws, the paths of their centres, and the plain statement.
#include "sim/forces/fields/field.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/fields/post_newtonian.h"
#include "sim/forces/single_precision.h"

#include <algorithm>
#include <atomic>
#include <numbers>

namespace gravlab {
namespace {

enum PlaceNumber : std::size_t { kX, kY, kZ, kVx, kVy, kVz, kOrbit, kPeriod, kPhase, kTilt, kBody };
constexpr std::array<FieldNumber, kFieldPlaces> kPlace{
    {{.name = "x", .length = 1, .usual = 0, .idea = "its centre at the start"},
     {.name = "y", .length = 1, .usual = 0, .idea = "the same"},
     {.name = "z", .length = 1, .usual = 0, .idea = "the same"},
     {.name = "vx", .length = 1, .time = -1, .usual = 0, .idea = "velocity of its centre"},
     {.name = "vy", .length = 1, .time = -1, .usual = 0, .idea = "the same"},
     {.name = "vz", .length = 1, .time = -1, .usual = 0, .idea = "the same"},
     {.name = "orbit",
      .length = 1,
      .range = FieldRange::notNegative,
      .usual = 0,
      .idea = "radius of a circle on which it moves about that centre"},
     {.name = "period", .time = 1, .range = FieldRange::any, .usual = 0, .idea = "of that circle; negative: clockwise"},
     {.name = "phase", .usual = 0, .degrees = true, .idea = "its angle on the circle at the start"},
     {.name = "tilt", .usual = 0, .degrees = true, .idea = "of the circle, about the x axis"},
     {.name = "body", .usual = -1, .idea = "id of a body that carries it: the place is then relative to that body"}}};

template <template <class> class... Laws>
std::vector<FieldLaw> rowsOf(FieldLawList<Laws...>) {
    return {{Laws<double>::kText.name, Laws<double>::kText.idea, Laws<double>::kText.source, Laws<double>::kText.kind,
             Laws<double>::kText.shape, Laws<double>::kNumbers}...};
}

template <class FieldLawType>
concept HasPotential = requires(const double* numbers, const Vec3d& x) {
    FieldLawType::potential(numbers, x);
};

template <template <class> class First, template <class> class... Rest>
double potentialUnder(FieldLawList<First, Rest...>, unsigned law, const double* numbers, const Vec3d& x) {
    if constexpr (sizeof...(Rest) > 0)
        if (law != 0) return potentialUnder(FieldLawList<Rest...>{}, law - 1, numbers, x);
    if constexpr (HasPotential<First<double>>)
        return First<double>::potential(numbers, x);
    else
        return 0;
}
/// The energy of a body in a field [M L^2/T^2]; a body that feels nothing has none.
double energyIn(const FieldNow<double>& field, const TermBodies& bodies, std::size_t i) {
    if (bodies.velocities[i].w == 0 || field.carrier == i) return 0;
    Vec3d x = xyz(bodies.positions[i]);
    if (field.carrier != kNoCarrier) x -= xyz(bodies.positions[field.carrier]);
    return bodies.positions[i].w * potentialUnder(FieldLaws{}, field.law, field.numbers, x - field.centre);
}
double energyIn(const FieldNow<double>& field, const TermBodies& bodies) {
    double sum = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) sum += energyIn(field, bodies, i);
    return sum;
}

auto bodyOf(const TermBodies& bodies) {
    return [&bodies](std::uint32_t i) -> FieldTarget<double> {
        const Double4 &x = bodies.positions[i], &v = bodies.velocities[i];
        return {xyz(x), xyz(v), x.w, v.w != 0};
    };
}

constexpr double kDegree = std::numbers::pi / 180;
/// The index of the bar, and of its numbers.
constexpr unsigned kBar = 7;
constexpr std::size_t kPattern = 4, kAngle = 5, kCosine = 6, kSine = 7;

std::string whyNotIn(const FieldNumber& number, double value) {
    const std::string name(number.name);
    if (!std::isfinite(value))
        return name + (std::isnan(value) && std::isnan(number.usual) ? " is missing" : " must be finite");
    if (number.range == FieldRange::positive && !(value > 0)) return name + " must be above 0";
    if (number.range == FieldRange::notNegative && !(value >= 0)) return name + " must be at least 0";
    if (number.range == FieldRange::notZero && value == 0) return name + " must not be 0";
    return {};
}

std::shared_ptr<const ForceTerm> fromNumbers(FieldKind kind, const std::vector<StateArray>& numbers) {
    const auto broken = [] {
        return InputError("the numbers of its fields are not whole; it was changed after it was saved");
    };
    const auto values = [&](std::string_view name, std::size_t each) -> const std::vector<double>& {
        for (const StateArray& array : numbers)
            if (array.name == name && array.values.size() % each == 0) return array.values;
        throw broken();
    };
    const std::vector<double>&laws = values("laws", 1), &own = values("numbers", kFieldNumbers),
          &place = values("place", kFieldPlaces);
    if (own.size() != laws.size() * kFieldNumbers || place.size() != laws.size() * kFieldPlaces) throw broken();
    std::vector<OuterField> fields(laws.size());
    for (std::size_t k = 0; k < laws.size(); ++k) {
        if (!(laws[k] >= 0 && laws[k] < static_cast<double>(FieldLaws::kCount))) throw broken();
        fields[k].law = static_cast<unsigned>(laws[k]);
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(k * kFieldNumbers), kFieldNumbers, fields[k].numbers.begin());
        std::copy_n(place.begin() + static_cast<std::ptrdiff_t>(k * kFieldPlaces), kFieldPlaces, fields[k].place.begin());
    }
    try {
        return std::make_shared<const OuterForces>(kind, std::move(fields));
    } catch (const UsageError& error) {
        throw InputError(error.what());
    }
}

/// For bodies without fields of their own: it holds them together, or slows them.
template <FieldKind kKind>
std::shared_ptr<const ForceTerm> exampleOf(const ParticleSet& bodies) {
    const std::string_view text = kKind == FieldKind::field
                                      ? "nfw,mass=1,scale=1;bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=0.5;"
                                        "miyamoto-nagai,mass=1,scale=1,height=0.2,x=0.5;logarithmic,speed=0.3,core=0.5"
                                      : "drag,rate=0.1;quadratic-drag,coefficient=0.1;friction,speed=1";
    return fieldTerms(parsedFields(text), bodies).front();
}

template <FieldKind kKind>
std::shared_ptr<const ForceTerm> madeOf(const std::vector<StateArray>& numbers) {
    return fromNumbers(kKind, numbers);
}

}  // namespace

TermKind fieldKind() {
    return {OuterForces::kField, madeOf<FieldKind::field>, "outer fields: haloes, discs, a bar, points, see 'list fields'",
            exampleOf<FieldKind::field>};
}
TermKind dragKind() {
    return {OuterForces::kDrag, madeOf<FieldKind::drag>, "drags and dynamical friction, which depend on velocities",
            exampleOf<FieldKind::drag>};
}

std::span<const FieldLaw> fieldLaws() {
    static const std::vector<FieldLaw> rows = [] {
        std::vector<FieldLaw> all = rowsOf(FieldLaws{});
        all.push_back(PostNewtonian::law());
        return all;
    }();
    return rows;
}

std::span<const FieldNumber> fieldPlace() { return kPlace; }

bool OuterField::moves() const { return place[kVx] != 0 || place[kVy] != 0 || place[kVz] != 0 || place[kOrbit] > 0; }
std::optional<std::uint32_t> OuterField::carrier() const {
    if (place[kBody] < 0) return std::nullopt;
    return static_cast<std::uint32_t>(place[kBody]);
}
bool OuterField::turns() const { return law == kBar && numbers[kPattern] != 0; }

template <class Real>
FieldNow<Real> OuterField::at(double time) const {
    FieldNow<Real> now{.law = law};
    for (std::size_t k = 0; k < kFieldNumbers; ++k) now.numbers[k] = static_cast<Real>(numbers[k]);
    if (law == kBar) {
        const double angle = numbers[kPattern] * time + kDegree * numbers[kAngle];
        now.numbers[kCosine] = static_cast<Real>(std::cos(angle));
        now.numbers[kSine] = static_cast<Real>(std::sin(angle));
    }
    Vec3d velocity{place[kVx], place[kVy], place[kVz]};
    Vec3d centre = Vec3d{place[kX], place[kY], place[kZ]} + time * velocity;
    if (place[kOrbit] > 0) {
        const double rate = 2 * std::numbers::pi / place[kPeriod], angle = rate * time + kDegree * place[kPhase];
        const double c = std::cos(kDegree * place[kTilt]), s = std::sin(kDegree * place[kTilt]);
        const double along = place[kOrbit] * std::cos(angle), up = place[kOrbit] * std::sin(angle);
        centre += {along, c * up, s * up};
        velocity += rate * Vec3d{-up, c * along, s * along};
    }
    const auto as = [](const Vec3d& a) {
        return Vec3<Real>{static_cast<Real>(a.x), static_cast<Real>(a.y), static_cast<Real>(a.z)};
    };
    now.centre = as(centre);
    now.velocity = as(velocity);
    return now;
}
template FieldNow<float> OuterField::at(double) const;
template FieldNow<double> OuterField::at(double) const;

std::string whyNot(const OuterField& field) {
    const FieldLaw& law = field.row();
    for (std::size_t k = 0; k < law.numbers.size(); ++k)
        if (std::string why = whyNotIn(law.numbers[k], field.numbers[k]); !why.empty()) return why;
    for (std::size_t k = 0; k < kPlace.size(); ++k)
        if (std::string why = whyNotIn(kPlace[k], field.place[k]); !why.empty()) return why;
    if (field.place[kOrbit] > 0 && field.place[kPeriod] == 0) return "an orbit needs a period other than 0";
    if (const double id = field.place[kBody]; id != -1 && (!(id >= 0 && id < 0x1p32 - 1) || id != std::floor(id)))
        return "body must be the id of a body, a whole number";
    if (field.place[kOrbit] == 0 && field.place[kPeriod] != 0) return "a period needs an orbit, its radius";
    if (law.name == "uniform" && field.numbers[0] == 0 && field.numbers[1] == 0 && field.numbers[2] == 0)
        return "ax, ay or az must not be 0";
    return {};
}

OuterForces::OuterForces(FieldKind kind, std::vector<OuterField> fields) : kind_(kind), fields_(std::move(fields)) {
    if (fields_.empty() || fields_.size() > kMostFields)
        throw UsageError("a run has at most " + std::to_string(kMostFields) + " fields, and as many drags");
    for (const OuterField& field : fields_) {
        if (field.row().kind != kind)
            throw UsageError("'" + std::string(field.row().name) + "' belongs to another kind of force term");
        if (const std::string why = whyNot(field); !why.empty())
            throw UsageError("field " + std::string(field.row().name) + ": " + why);
    }
}

std::string OuterForces::description() const {
    std::string text;
    for (const OuterField& field : fields_) {
        const bool fixed = !field.moves() && !field.turns();
        const bool carried = field.carrier() && field.row().kind == FieldKind::field;
        addTo(text,
              fieldText(field) + " (keeps " + (carried ? "momentum; " : "") +
                  std::string(field.turns() ? "Jacobi's energy in the frame that turns with it"
                              : fixed || field.row().kind != FieldKind::field ? keptUnder(field.row())
                                                                              : "nothing: it moves") +
                  ")",
              "; ");
    }
    return text;
}

std::vector<StateArray> OuterForces::numbers() const {
    std::vector<StateArray> arrays{{"laws", {}}, {"numbers", {}}, {"place", {}}};
    for (const OuterField& field : fields_) {
        arrays[0].values.push_back(field.law);
        arrays[1].values.insert(arrays[1].values.end(), field.numbers.begin(), field.numbers.end());
        arrays[2].values.insert(arrays[2].values.end(), field.place.begin(), field.place.end());
    }
    return arrays;
}

double OuterForces::addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets,
                                     std::span<Double4> out, std::span<double> floors) const {
    const std::vector<FieldNow<double>> now = fieldsAt(bodies);
    const auto body = bodyOf(bodies);
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const Double4& v = bodies.velocities[targets[k]];
        if (v.w == 0) continue;
        const double answer = drags() ? 1 : v.w;
        for (const FieldNow<double>& field : now) {
            FieldReaction<double> pull;
            if (field.carrier != targets[k]) {
                pull.pull = fieldPull(field, body, targets[k]);
                pull.scale = length(pull.pull);
            } else if (!drags()) {
                pull = fieldReaction(field, body, bodies.size());
            }
            const Vec3d a = answer * pull.pull;
            out[k] = {out[k].x + a.x, out[k].y + a.y, out[k].z + a.z, 0};
            // Fields may nearly cancel each other, and so may the forces that pull a body back.
            if (!floors.empty()) floors[k] += std::abs(answer) * pull.scale;
        }
    }
    return static_cast<double>(targets.size()) * static_cast<double>(fields_.size());
}

double OuterForces::potential(const TermBodies& bodies) const {
    double sum = 0;
    for (const FieldNow<double>& field : fieldsAt(bodies)) sum += energyIn(field, bodies);
    return sum;
}

double OuterForces::potentialOf(const TermBodies& bodies, std::size_t body) const {
    double sum = 0;
    for (const FieldNow<double>& field : fieldsAt(bodies))
        sum += field.carrier == body ? energyIn(field, bodies) : energyIn(field, bodies, body);
    return sum;
}

std::vector<std::uint32_t> OuterForces::checkTargets(const TermBodies& bodies, std::size_t most) const {
    std::vector<std::uint32_t> targets;
    for (const std::uint32_t carrier : carriersIn(bodies.ids))
        if (carrier < bodies.size() && targets.size() < most) targets.push_back(carrier);
    return targets;
}

std::vector<std::uint32_t> OuterForces::carriersIn(std::span<const std::uint32_t> ids) const {
    std::vector<std::uint32_t> carriers;
    for (const OuterField& field : fields_)
        carriers.push_back(field.carrier()
                               ? static_cast<std::uint32_t>(std::ranges::find(ids, *field.carrier()) - ids.begin())
                               : kNoCarrier);
    return carriers;
}

std::string OuterForces::beyondSingle(const TermBodies& bodies, const SingleTrial& trial) const {
    if (trial.pairsAlone) return {};
    for (const OuterField& field : fields_) {
        if (field.carrier()) continue;  // its carrier pulls as a body does
        const FieldNow<double> now = field.at<double>(bodies.time);
        const Vec3d way = field.at<double>(bodies.time + trial.ahead).centre - now.centre;
        // A coordinate and that of the centre are rounded by half of their last place each.
        const auto nearer = [](double x, double centre, double moved) {
            const double largest = std::max(std::abs(x), std::abs(x + moved));
            const double rounding = largest > 0 ? std::ldexp(1.0, std::ilogb(largest) - 23) : 0, apart = x - centre;
            return centre + std::copysign(std::max(0.0, std::abs(apart) - rounding), apart);
        };
        std::atomic<std::size_t> first = bodies.size();
        parallelFor(bodies.size(), 0, 65536, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end && i < first; ++i) {
                const double response = drags() ? 1 : std::abs(bodies.velocities[i].w);
                const Vec3d x = xyz(bodies.positions[i]), v = xyz(bodies.velocities[i]) - now.velocity;
                const auto pull = [&](const Vec3d& at) {
                    return pullOf<double>(FieldLaws{}, now.law, now.numbers, at - now.centre, v, bodies.positions[i].w);
                };
                const Vec3d exact = pull(x),
                            rounded = pull({nearer(x.x, now.centre.x, way.x), nearer(x.y, now.centre.y, way.y),
                                            nearer(x.z, now.centre.z, way.z)});
                const double size = std::max(response * length(exact), trial.least);
                if (bodies.velocities[i].w == 0 || response * length(rounded - exact) <= kSingleWorst * size) continue;
                for (std::size_t known = first; i < known && !first.compare_exchange_weak(known, i);) {
                }
                break;
            }
        });
        if (first == bodies.size()) continue;
        return formatted(
            "it would round the coordinates of body %zu so that the pull of the field %s changes by more than %g: "
            "its centre is %.2g away, %.2g from the origin",
            first.load(), std::string(field.row().name).c_str(), kSingleWorst,
            length(xyz(bodies.positions[first]) - now.centre), length(now.centre + way));
    }
    return {};
}

TermOffer OuterForces::offer() const {
    TermOffer offer{.usesVelocities = drags(), .conservesMomentum = !drags()};
    for (const OuterField& field : fields_) {
        const bool fixed = !drags() && !field.moves() && !field.turns();
        const bool central = field.place[kX] == 0 && field.place[kY] == 0 && field.place[kZ] == 0;
        offer.conservesMomentum = offer.conservesMomentum && field.carrier();
        offer.conservesEnergy = offer.conservesEnergy && fixed;
        offer.conservesAngularMomentum =
            offer.conservesAngularMomentum && fixed && central && field.row().shape == FieldShape::sphere;
    }
    return offer;
}

std::string_view keptUnder(const FieldLaw& law) {
    if (law.kind == FieldKind::drag) return "nothing";
    if (law.kind == FieldKind::postNewtonian) return "energy, momenta: to the first order";
    if (law.name == "bar") return "energy; Jacobi's energy where it turns";
    if (law.shape == FieldShape::sphere) return "energy, angular momentum";
    return law.shape == FieldShape::axis ? "energy, angular momentum about z" : "energy";
}

}  // namespace gravlab
