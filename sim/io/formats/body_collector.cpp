// Refuses bad bodies in words and makes ids unique.
#include "sim/io/formats/body_collector.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/pages.h"
#include "sim/core/validation.h"
#include "sim/forces/bonds/bonds.h"

#include <algorithm>
#include <limits>

namespace gravlab {
namespace {

struct Field {
    const char* name;
    double BodyRow::*value;
};
constexpr Field kFields[] = {
    {"x", &BodyRow::x},           {"y", &BodyRow::y},      {"z", &BodyRow::z},       {"vx", &BodyRow::vx},
    {"vy", &BodyRow::vy},         {"vz", &BodyRow::vz},    {"mass", &BodyRow::mass}, {"response", &BodyRow::response},
    {"radius", &BodyRow::radius}, {"sx", &BodyRow::spinX}, {"sy", &BodyRow::spinY},  {"sz", &BodyRow::spinZ}};

bool unique(const std::vector<std::uint32_t>& ids) {
    if (ids.empty()) return true;
    const std::uint32_t largest = *std::ranges::max_element(ids);
    // Ids are nearly always dense: one bit per id is far cheaper than sorting a million.
    if (largest / 32 <= ids.size()) {
        std::vector<bool> taken(std::size_t{largest} + 1);
        for (std::uint32_t id : ids) {
            if (taken[id]) return false;
            taken[id] = true;
        }
        return true;
    }
    std::vector<std::uint32_t> sorted = ids;
    std::ranges::sort(sorted);
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// The bonds that act between these bodies; null where there is none.
std::shared_ptr<const Bonds> bondsBetween(const Bonds& all, std::span<const std::uint32_t> ids) {
    BodyPlaces places(ids);
    auto kept = std::make_shared<BondList>();
    for (std::size_t k = 0; k < all.list().size(); ++k) {
        const std::uint32_t first = all.list().first[k], second = all.list().second[k];
        const bool here = places.find(first) != BodyPlaces::kMissing && places.find(second) != BodyPlaces::kMissing;
        if (here && !all.isBroken(k)) kept->add({first, second, all.list().numbersOf(k)});
    }
    return kept->size() > 0 ? std::make_shared<const Bonds>(kept) : nullptr;
}

}  // namespace

void BodyCollector::expect(std::uint64_t count) {
    if (count > options_.maxBodies)
        throw InputError(name_ + ": holds " + std::to_string(count) + " bodies, more than the " +
                         std::to_string(options_.maxBodies) + " allowed");
    // How many bodies a region has is known when they are read.
    count = options_.part.region ? 0 : (count + options_.part.every - 1) / options_.part.every;
    if (options_.parts) return ids_.reserve(count);
    requireRoom(count);
    try {
        reserveTouched(bodies_.position, count);
        reserveTouched(bodies_.velocity, count);
        reserveTouched(bodies_.id, count);
        reserveTouched(bodies_.group, count);
    } catch (const std::exception&) {
        throw InputError(name_ + ": its " + std::to_string(count) + " bodies do not fit into memory");
    }
}

/// Counts the collected bodies as well, which are copied when a table grows.
void BodyCollector::requireRoom(std::size_t bodies) const {
    constexpr double kBytes = 2 * sizeof(Double4) + sizeof(std::uint32_t) + sizeof(std::uint8_t);
    try {
        requireHostMemory(kBytes * static_cast<double>(bodies), "its bodies");
    } catch (const OutOfMemoryError& error) {
        throw InputError(name_ + ": " + error.what());
    }
}

void BodyCollector::refuse(const BodyRow& row, const std::string& where) {
    if (options_.sanitize) {
        ++dropped_;
        return;
    }
    const std::string body = name_ + ": " + where + ", body " + std::to_string(seen_) + ": ";
    for (const Field& field : kFields)
        if (!std::isfinite(row.*field.value))
            throw InputError(body + field.name + " is not a finite number (--sanitize drops such bodies)");
    if (row.radius < 0)
        throw InputError(body + "the radius " + std::to_string(row.radius) + " is negative (--sanitize drops such bodies)");
    throw InputError(
        body + "the mass " + std::to_string(row.mass) +
        " is negative: only a law with charges allows that (--law coulomb takes it, --sanitize drops such bodies)");
}

void BodyCollector::store(const BodyRow& row) {
    if (ids_.size() + bodies_.size() >= options_.maxBodies)
        throw InputError(name_ + ": holds more than the " + std::to_string(options_.maxBodies) + " bodies allowed");
    constexpr std::size_t kFew = 65536;
    if (bodies_.size() >= kFew && bodies_.size() == bodies_.position.capacity()) requireRoom(2 * bodies_.size());
    bodies_.position.push_back({row.x, row.y, row.z, row.mass});
    bodies_.velocity.push_back({row.vx, row.vy, row.vz, row.response});
    if (row.id > std::numeric_limits<std::uint32_t>::max()) idsFit_ = false;
    bodies_.id.push_back(static_cast<std::uint32_t>(row.id));
    bodies_.group.push_back(row.group);
    const Surface surface{row.radius, {row.spinX, row.spinY, row.spinZ}};
    if (!bodies_.surface.empty() || surface != Surface{}) {
        bodies_.surface.resize(bodies_.size() - 1);  // bodies before the first one with a radius are points
        bodies_.surface.push_back(surface);
    }
}

void BodyCollector::name(std::string_view name, std::string_view tag) {
    if (!names_.add(static_cast<std::uint32_t>(bodies_.size() - 1), name, tag)) namesFull_ = true;
}

/// Clock, settings and states of integrators belong to all bodies; bonds belong to two.
void BodyCollector::leaveOutTheWhole(Snapshot& snapshot) const {
    std::string note = "a part was read: " + std::to_string(bodies_.id.size()) + " of " + std::to_string(seen_) +
                       " bodies, with their own masses";
    if (!bodies_.surface.empty()) note += " and radii";
    std::string left = snapshot.isCheckpoint() ? "settings" : "";
    for (const std::string& kind : termKindsIn(snapshot.state))
        if (kind != Bonds::kKind) addTo(left, kind, " and ");
    std::erase_if(snapshot.state, [](const StateArray& array) {
        return !array.name.starts_with("term.") || array.name.find(std::string(".") + std::string(Bonds::kKind)) != 7;
    });
    ForceTerms kept;
    for (const auto& term : takeTerms(snapshot.state, name_)) {
        const auto* all = dynamic_cast<const Bonds*>(term.get());
        const auto bonds = all && snapshot.knowsIds ? bondsBetween(*all, bodies_.id) : nullptr;
        if (bonds) kept.push_back(bonds);
        if (all)
            note += ", and " + std::to_string(bonds ? bonds->list().size() : 0) + " of its " +
                    std::to_string(all->list().size()) + " bonds";
    }
    snapshot.state = arraysOf(kept);
    snapshot.notes.push_back(note + (left.empty() ? "" : "; its " + left + " belong to the whole and were left out"));
    snapshot.settings.clear();
    snapshot.step.reset(), snapshot.stepOrigin.reset(), snapshot.timeStep.reset(), snapshot.timeOrigin.reset();
    snapshot.seed.reset();
}

void BodyCollector::finish(Snapshot& snapshot, bool hasIds, bool hasGroups) {
    const FilePart& part = options_.part;
    if (!ids_.empty()) bodies_.id = std::move(ids_);
    if (bodies_.id.empty() && seen_ > dropped_ && !part.whole())
        throw InputError(name_ + ": none of its " + std::to_string(seen_) + " bodies is in the part to read" +
                         (part.region ? ": give --region in the numbers of the file" : ""));
    if (bodies_.id.empty())
        throw InputError(name_ + (dropped_ > 0 ? ": all of its " + std::to_string(dropped_) + " bodies have bad values"
                                               : std::string(": holds no bodies")));
    if (dropped_ > 0) snapshot.notes.push_back("dropped " + std::to_string(dropped_) + " bodies with bad values");
    snapshot.knowsIds = hasIds && idsFit_ && unique(bodies_.id);
    if (hasIds && !snapshot.knowsIds)
        snapshot.notes.push_back(idsFit_ ? "two bodies have the same id: numbered anew, in file order"
                                         : "ids below 0 or beyond 32 bits: numbered anew, in file order");
    if (!snapshot.knowsIds)
        for (std::size_t i = 0; i < bodies_.id.size(); ++i) bodies_.id[i] = static_cast<std::uint32_t>(i);
    if (!part.whole()) leaveOutTheWhole(snapshot);
    snapshot.knowsGroups = hasGroups;
    if (!names_.empty()) snapshot.names = std::make_shared<const BodyNames>(names_.renumbered(bodies_.id));
    if (namesFull_)
        snapshot.notes.push_back("names are kept of the first " + std::to_string(BodyNames::kMostBodies) + " bodies alone");
    snapshot.bodies = std::move(bodies_);
}

}  // namespace gravlab
