// Forces that act on each body by itself: outer fields, and drags of a medium. Each law is written once, in laws/, for the
// plain statement, the CPU and CUDA. G = 1.
//
// A field acts on a body's source as the pair law does: a = response * pull, U = source * potential. So it is gravity for
// masses, and an electric field for charges. A drag gives its acceleration to every body that responds.
#pragma once
#include "sim/forces/force_term.h"
#include "sim/forces/law.h"

#include <array>
#include <limits>
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
/// The numbers of every field that place its centre: on a line, or on a circle about a point of the line.
std::span<const FieldNumber> fieldPlace();

constexpr std::size_t kFieldNumbers = 8;  ///< numbers of a law, and two that follow from the time
constexpr std::size_t kFieldPlaces = 10;  ///< size of fieldPlace()
constexpr std::size_t kMostFields = 16;   ///< fields of one kind in a run

/// A law at one time, as loops on every device read it.
template <class Real>
struct FieldNow {
    unsigned law = 0;
    Real numbers[kFieldNumbers] = {};
    Vec3<Real> centre{}, velocity{};
};

/// A law with its numbers and the path of its centre.
struct OuterField {
    unsigned law = 0;
    std::array<double, kFieldNumbers> numbers{};
    std::array<double, kFieldPlaces> place{};

    const FieldLaw& row() const { return fieldLaws()[law]; }
    /// Whether its centre moves.
    bool moves() const;
    /// Whether it depends on time in another way: a bar that turns.
    bool turns() const;
    template <class Real>
    FieldNow<Real> at(double time) const;
    bool operator==(const OuterField&) const = default;
};

/// "", or why these numbers are none of the law: "scale must be above 0".
std::string whyNot(const OuterField& field);

template <class Real, template <class> class First, template <class> class... Rest>
GRAVLAB_HOST_DEVICE Vec3<Real> pullOf(FieldLawList<First, Rest...>, unsigned law, const Real* numbers, const Vec3<Real>& x,
                                      const Vec3<Real>& v, Real source) {
    if constexpr (sizeof...(Rest) > 0)
        if (law != 0) return pullOf<Real>(FieldLawList<Rest...>{}, law - 1, numbers, x, v, source);
    return First<Real>::pull(numbers, x, v, source);
}
/// The acceleration of a body by a law [L/T^2], before its response; x and v as in the run.
template <class Real>
GRAVLAB_HOST_DEVICE Vec3<Real> fieldPull(const FieldNow<Real>& field, const Vec3<Real>& x, const Vec3<Real>& v,
                                         Real source) {
    return pullOf<Real>(FieldLaws{}, field.law, field.numbers, x - field.centre, v - field.velocity, source);
}

/// All fields, or all drags, of a run.
class OuterForces final : public ForceTerm {
public:
    static constexpr std::string_view kField = "field", kDrag = "drag";

    /// Throws UsageError for no or too many fields, laws of another kind, or numbers that are none of the law.
    OuterForces(FieldKind kind, std::vector<OuterField> fields);
    const std::vector<OuterField>& fields() const { return fields_; }
    bool drags() const { return kind_ == FieldKind::drag; }
    template <class Real>
    std::vector<FieldNow<Real>> at(double time) const {
        std::vector<FieldNow<Real>> all;
        for (const OuterField& field : fields_) all.push_back(field.at<Real>(time));
        return all;
    }

    std::string_view kind() const override { return drags() ? kDrag : kField; }
    std::string description() const override;
    std::vector<StateArray> numbers() const override;
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double> floors) const override;
    double potential(const TermBodies& bodies) const override;
    double potentialOf(const TermBodies& bodies, std::size_t body) const override;
    TermOffer offer() const override;

private:
    FieldKind kind_;
    std::vector<OuterField> fields_;
};

/// What the bodies keep under a fixed field of that law: "energy, angular momentum about z".
std::string_view keptUnder(const FieldLaw& law);

}  // namespace gravlab
