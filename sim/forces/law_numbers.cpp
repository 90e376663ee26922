// The rows, and their ranges: beyond them single precision ends before the physics does.
#include "sim/forces/law_numbers.h"

#include "sim/core/error.h"
#include "sim/forces/law.h"

#include <cstdio>

namespace gravlab {
namespace {

template <double ForceSettings::*kNumber>
bool acts(Law law) {
    return lawRow(law).takes(kNumber);
}

constexpr LawNumber kNumbers[] = {
    {"exponent", "--exponent", "Exponent",
     "a of the attraction r^-a: 2 is gravity, -1 a spring; whole numbers run exact code",
     "exponent a of the power law r^-a; 2 is gravity", &ForceSettings::exponent, &RunRequest::exponent, &Scene::exponent, -4,
     12, acts<&ForceSettings::exponent>, "the power law"},
    {"strength", "--strength", "Strength",
     "What the law is multiplied with: Coulomb's constant, alpha of alpha r^-a, or the depth of the Lennard-Jones well",
     "strength of the law: Coulomb's constant, alpha of alpha r^-a, or the depth of the Lennard-Jones well",
     &ForceSettings::strength, &RunRequest::strength, &Scene::strength, 0.001, 1000, acts<&ForceSettings::strength>,
     "Coulomb's law, the power law and Lennard-Jones"},
    {"diameter", "--diameter", "Diameter", "Where the Lennard-Jones potential crosses zero: the size of an atom",
     "diameter of the atoms of Lennard-Jones [L]", &ForceSettings::diameter, &RunRequest::diameter, &Scene::diameter, 0.001,
     1000, acts<&ForceSettings::diameter>, "Lennard-Jones"},
    {"cut_off", "--cut-off", "Cut-off",
     "Where Lennard-Jones ends, in diameters: 2.5 is usual, 1.12 leaves the wall alone without the attraction",
     "where Lennard-Jones ends, in diameters", &ForceSettings::cutOff, &RunRequest::cutOff, &Scene::cutOff, 1, 20,
     acts<&ForceSettings::cutOff>, "Lennard-Jones"},
};

}  // namespace

std::span<const LawNumber> lawNumbers() { return kNumbers; }

std::string rangeText(const LawNumber& number) {
    char text[60];
    std::snprintf(text, sizeof text, "%g to %g", number.least, number.most);
    return text;
}

void requireLawNumber(const LawNumber& number, double value) {
    if (value >= number.least && value <= number.most) return;
    throw UsageError("the " + std::string(number.option + 2) + " of " + number.of + " must be from " + rangeText(number) +
                     (number.force == &ForceSettings::exponent ? "; 2 is gravity" : ""));
}

void requireLawNumbers(const ForceSettings& force) {
    for (const LawNumber& number : lawNumbers()) requireLawNumber(number, force.*number.force);
}

void takeLawNumbers(ForceSettings& force, const RunRequest& asked, const Scene& scene) {
    for (const LawNumber& number : lawNumbers()) force.*number.force = (asked.*number.asked).value_or(scene.*number.scene);
}

}  // namespace gravlab
