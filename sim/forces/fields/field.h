// Forces that act on each body by itself: outer fields, and drags of a medium. Each law is written once, in laws/, for the
// plain statement, the CPU and CUDA. G = 1.
//
// A field acts on a body's source as the pair law does: a = response * pull, U = source * potential. So it is gravity for
// masses, and an electric field for charges. A drag gives its acceleration to every body that responds.
#pragma once
#include "sim/forces/force_term.h"
#include "sim/forces/law.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The kinds of terms that these laws form: a field has a potential, a drag depends on velocities.
enum class FieldKind { field, drag, postNewtonian };
/// The symmetry about the centre, from which follows what a fixed field conserves.
enum class FieldShape { sphere, axis, none };
enum class FieldRange { any, notZero, notNegative, positive };

/// The texts of a law.
struct FieldText {
    std::string_view name;  ///< stable key
    FieldKind kind;
    std::string_view idea;    ///< one line for lists and tooltips
    std::string_view source;  ///< paper or book
    FieldShape shape;
};

/// A number that a law reads: its name, and its unit as powers of [L], [M] and [T].
struct FieldNumber {
    std::string_view name{};
    int length = 0, mass = 0, time = 0;
    FieldRange range = FieldRange::any;
    double usual = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the number must be given
    bool degrees = false;
    std::string_view idea{};
};

/// A list of law templates over float and double. pull(numbers, x, v, source) is the acceleration [L/T^2] of a body at x
/// and v from the centre of the field; fields also have potential(numbers, x) [L^2/T^2].
template <template <class> class... FieldLaws>
struct FieldLawList {
    static constexpr std::size_t kCount = sizeof...(FieldLaws);
};

#include "sim/forces/fields/laws/spheres.inl"
// Flat laws and drags use the round ones.
#include "sim/forces/fields/laws/drags.inl"
#include "sim/forces/fields/laws/flat.inl"

/// All laws. Files store their indices, so a new law is appended.
using FieldLaws =
    FieldLawList<PointField, UniformField, HarmonicField, HernquistField, NfwField, MiyamotoNagaiField, LogarithmicField,
                 BarField, LinearDrag, QuadraticDrag, IsothermalFriction, HernquistFriction, NfwFriction>;

/// A row of the table of laws, made from the law's type.
struct FieldLaw {
    std::string_view name, idea, source;
    FieldKind kind;
    FieldShape shape;
    std::span<const FieldNumber> numbers;
};
/// All laws, in the order of FieldLaws; then the post-Newtonian terms, see post_newtonian.h.
std::span<const FieldLaw> fieldLaws();
/// The numbers of every field that place its centre: on a line, or on a circle about a point of the line, from the origin
/// or from a body.
std::span<const FieldNumber> fieldPlace();

constexpr std::size_t kFieldNumbers = 8;  ///< numbers of a law, and two that follow from the time
constexpr std::size_t kFieldPlaces = 11;  ///< size of fieldPlace()
constexpr std::size_t kMostFields = 16;   ///< fields of one kind in a run

/// Of a field that no body carries.
constexpr std::uint32_t kNoCarrier = 0xffffffffu;

/// A law at one time, as loops on every device read it.
template <class Real>
struct FieldNow {
    unsigned law = 0;
    Real numbers[kFieldNumbers] = {};
    Vec3<Real> centre{}, velocity{};     ///< relative to the body that carries the field
    std::uint32_t carrier = kNoCarrier;  ///< index of that body
};

/// A law with its numbers and the path of its centre.
struct OuterField {
    unsigned law = 0;
    std::array<double, kFieldNumbers> numbers{};
    std::array<double, kFieldPlaces> place{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1};

    const FieldLaw& row() const { return fieldLaws()[law]; }
    /// Whether its centre moves, relative to the body that carries it.
    bool moves() const;
    /// The id of the body that carries its centre, if any does. The field pulls all other bodies, and they pull back.
    std::optional<std::uint32_t> carrier() const;
    /// Whether it depends on time in another way: a bar that turns.
    bool turns() const;
    template <class Real>
    FieldNow<Real> at(double time) const;
    bool operator==(const OuterField&) const = default;
};

/// "", or why these numbers are none of the law: "scale must be above 0".
std::string whyNot(const OuterField& field);

/// What a law reads of a body.
template <class Real>
struct FieldTarget {
    Vec3<Real> x, v;
    Real source;
    bool responds;  ///< a body that does not respond feels nothing, and does not pull a carrier back
};

template <class Real, template <class> class First, template <class> class... Rest>
GRAVLAB_HOST_DEVICE Vec3<Real> pullOf(FieldLawList<First, Rest...>, unsigned law, const Real* numbers, const Vec3<Real>& x,
                                      const Vec3<Real>& v, Real source) {
    if constexpr (sizeof...(Rest) > 0)
        if (law != 0) return pullOf<Real>(FieldLawList<Rest...>{}, law - 1, numbers, x, v, source);
    return First<Real>::pull(numbers, x, v, source);
}
/// The acceleration of body i by a law [L/T^2], before its response. `body(i)` has x, v and the source of a body of the run.
template <class Real, class Body>
GRAVLAB_HOST_DEVICE Vec3<Real> fieldPull(const FieldNow<Real>& field, const Body& body, std::uint32_t i) {
    FieldTarget<Real> at = body(i);
    if (field.carrier != kNoCarrier) {
        if (field.carrier == i) return {0, 0, 0};
        const FieldTarget<Real> carrier = body(field.carrier);
        at.x = at.x - carrier.x;
        at.v = at.v - carrier.v;
    }
    return pullOf<Real>(FieldLaws{}, field.law, field.numbers, at.x - field.centre, at.v - field.velocity, at.source);
}

/// The acceleration of the body that carries a field, before its response: the opposite of the forces on all others, over
/// its source; and the same sum of their amounts, which may be much larger. Drags have no reaction: what they take stays in
/// their medium.
template <class Real>
struct FieldReaction {
    Vec3<Real> pull{0, 0, 0};
    double scale = 0;
};
template <class Real, class Body>
FieldReaction<Real> fieldReaction(const FieldNow<Real>& field, const Body& body, std::size_t count) {
    const Real source = body(field.carrier).source;
    if (source == 0) return {};
    Vec3d sum{};
    double amounts = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const FieldTarget<Real> target = body(i);
        if (!target.responds) continue;
        const Vec3<Real> force = target.source * fieldPull(field, body, i);
        const Vec3d exact{static_cast<double>(force.x), static_cast<double>(force.y), static_cast<double>(force.z)};
        sum += exact;
        amounts += length(exact);
    }
    return {Vec3<Real>{static_cast<Real>(-sum.x), static_cast<Real>(-sum.y), static_cast<Real>(-sum.z)} / source,
            amounts / std::abs(static_cast<double>(source))};
}

/// All fields, or all drags, of a run.
class OuterForces final : public ForceTerm {
public:
    static constexpr std::string_view kField = "field", kDrag = "drag";

    /// Throws UsageError for no or too many fields, laws of another kind, or numbers that are none of the law.
    OuterForces(FieldKind kind, std::vector<OuterField> fields);
    const std::vector<OuterField>& fields() const { return fields_; }
    bool drags() const { return kind_ == FieldKind::drag; }
    /// The index of the body that carries each field, kNoCarrier for none. The number of bodies: that body is gone, and the
    /// field with it.
    std::vector<std::uint32_t> carriersIn(std::span<const std::uint32_t> ids) const;
    /// The fields that are there; `carriers` as carriersIn() gives them for `count` bodies.
    template <class Real>
    std::vector<FieldNow<Real>> at(double time, const std::vector<std::uint32_t>& carriers, std::size_t count) const {
        std::vector<FieldNow<Real>> all;
        for (std::size_t k = 0; k < fields_.size(); ++k) {
            if (carriers[k] == count) continue;
            all.push_back(fields_[k].at<Real>(time));
            all.back().carrier = carriers[k];
        }
        return all;
    }

    std::string_view kind() const override { return drags() ? kDrag : kField; }
    std::string description() const override;
    std::vector<StateArray> numbers() const override;
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override;
    double potential(const TermBodies& bodies) const override;
    double potentialOf(const TermBodies& bodies, std::size_t body) const override;
    std::vector<std::uint32_t> checkTargets(const TermBodies& bodies, std::size_t most) const override;
    TermOffer offer() const override;
    std::string beyondSingle(const TermBodies& bodies, const SingleTrial& trial) const override;

private:
    std::vector<FieldNow<double>> fieldsAt(const TermBodies& bodies) const {
        return at<double>(bodies.time, carriersIn(bodies.ids), bodies.size());
    }
    FieldKind kind_;
    std::vector<OuterField> fields_;
};

/// What the bodies keep under a fixed field of that law: "energy, angular momentum about z".
std::string_view keptUnder(const FieldLaw& law);

}  // namespace gravlab
