// The contacts of a step whose bodies are on a device. The step is cut into windows of time, and the contacts of a window
// into parts without a common body, which threads resolve beside each other. Where what happens in one part reaches another
// within the window, both are resolved again as one. Rule: the result is that of one queue, to the last bit, however time
// is cut.
#include "sim/contact/part_bodies.h"
#include "sim/core/thread_pool.h"

#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>

namespace gravlab {

/// Contacts of a window that may depend on each other.
struct Part {
    std::vector<WindowContact> contacts;
    PartResult result;
    std::uint32_t joined = 0;  ///< itself, or the part that it has become a part of
};

/// A changed body of a part.
struct Record {
    std::uint32_t part = 0, place = 0;
};

struct PartMemory {
    StepBodies bodies;
    std::vector<std::unique_ptr<PartBodies>> workers;  ///< one a thread
    std::vector<Part> parts;
    std::vector<std::vector<WindowContact>> slots;  ///< contacts to come
    std::vector<std::uint32_t> rootOf;              ///< of bodies with contacts in the window: another one of the same part
    std::vector<WindowContact> contacts;            ///< of the window
    std::vector<Record> records;
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;  ///< of the events
};

namespace {

class Parts {
public:
    Parts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force, const ContactStep& step)
        : found_(found),
          contact_(contact),
          force_(force),
          step_(step),
          memory_(memoryOf(found)),
          bodies_(memory_.bodies),
          threads_(step.threads > 0 ? step.threads : usableCores()) {
        bodies_.begin(found, step);
        while (memory_.workers.size() < static_cast<std::size_t>(threads_))
            memory_.workers.push_back(std::make_unique<PartBodies>(bodies_));
        memory_.rootOf.resize(found.id.size());
        window_.perTime = ContactWindow::kSlots / step.length;
        memory_.slots.resize(ContactWindow::kSlots);
        for (std::vector<WindowContact>& slot : memory_.slots) slot.clear();
        memory_.contacts.clear();
        memory_.events.clear();
        memory_.places.clear();
        findFirst();
    }

    std::vector<ContactEvent> resolve() {
        while (window_.end < ContactWindow::kSlots) {
            const std::uint32_t begin = window_.end;
            openWindow();
            plan_ = {.now = begin / window_.perTime * (1 - 1e-9)};
            // Bodies at rest on each other touch at the same moment, and form one part: these contacts go by waves.
            do {
                renewLists();
                findAnew(begin);
                takeContacts(begin);
            } while (resolveWave());
            if (memory_.contacts.empty()) continue;
            makeParts();
            std::vector<std::uint32_t> due(parts_);
            std::iota(due.begin(), due.end(), 0u);
            while (!due.empty()) {
                resolve(due);
                due = thoseThatDisagree();
            }
            memory_.contacts.clear();
            close();
        }
        return finish();
    }

private:
    // Contacts of a window: enough for all threads, and so few that most bodies have one at most.
    static constexpr std::size_t kFewest = 256, kWindows = 16, kPartOfWave = 16;
    static constexpr std::size_t kGrain = 256;

    static PartMemory& memoryOf(FoundContacts& found) {
        if (!found.memory) found.memory = std::make_shared<PartMemory>();
        return *found.memory;
    }
    bool resting() const { return contact_.mode != ContactMode::bounce; }
    double timeOf(std::uint32_t i, std::uint32_t k) const {
        const BodyPath &a = bodies_.paths[i], &b = bodies_.paths[k];
        return touchTime(a.end - b.end, a.way - b.way, a.radius + b.radius, std::max(a.from, b.from), step_.length,
                         resting());
    }
    void keep(const WindowContact& contact) { memory_.slots[window_.slotOf(contact.time)].push_back(contact); }
    WindowContact contactOf(double time, std::uint32_t i, std::uint32_t k) const {
        return {time, i, k, bodies_.marks[i].version, bodies_.marks[k].version};
    }
    /// Calls find(at, contacts) for 0, ... `count` - 1 on all threads, and keeps what it adds to the contacts.
    template <class Find>
    void keepAll(std::size_t count, const Find& find) {
        const auto pieces = static_cast<std::size_t>(threads_);
        std::vector<std::vector<WindowContact>> all(pieces);
        parallelFor(pieces, count < kGrain ? 1 : threads_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t piece = first; piece < last; ++piece)
                for (std::size_t at = count * piece / pieces; at < count * (piece + 1) / pieces; ++at) find(at, all[piece]);
        });
        for (const std::vector<WindowContact>& some : all)
            for (const WindowContact& contact : some) keep(contact);
    }
    void findFirst() {
        keepAll(found_.pairs.size(), [&](std::size_t at, std::vector<WindowContact>& contacts) {
            const auto [i, k] = found_.pairs[at];
            if (const double time = timeOf(i, k); time >= 0) contacts.push_back(contactOf(time, i, k));
        });
    }
    /// Chooses the end of the next window by the contacts that are known.
    void openWindow() {
        std::uint32_t end = window_.end;
        const std::size_t most = std::max(kFewest, found_.pairs.size() / kWindows);
        if (threads_ == 1 || found_.pairs.size() <= kFewest) {
            end = ContactWindow::kSlots;
        } else {
            std::size_t count = 0;
            const std::uint32_t last = end + ContactWindow::kSlots / 8;
            do count += memory_.slots[end++].size();
            while (end < ContactWindow::kSlots && end < last && count + memory_.slots[end].size() <= most);
        }
        window_.endAt(end, step_.length);
    }
    /// Bodies that would leave the paths of their lists within the window get others.
    void renewLists() {
        renewed_.clear();
        for (std::uint32_t at = 0; at < bodies_.changed.size(); ++at)
            if (bodies_.changed[at].holds < window_.endTime && bodies_.changed[at].path.alive()) renewed_.push_back(at);
        bodies_.renewLists(renewed_, plan_.now, threads_);
    }
    /// Contacts of bodies that have changed since, or that have other lists.
    void findAnew(std::uint32_t begin) {
        changed_.insert(changed_.end(), renewed_.begin(), renewed_.end());
        for (std::uint32_t n = 0; n < changed_.size(); ++n) bodies_.marks[bodies_.changed[changed_[n]].index].record = n;
        keepAll(changed_.size(), [&](std::size_t n, std::vector<WindowContact>& contacts) {
            const std::uint32_t i = bodies_.changed[changed_[n]].index;
            if (bodies_.marks[i].record != n || !bodies_.paths[i].alive()) return;
            bodies_.near(i, [&](std::uint32_t k) {
                if (bodies_.marks[k].record != kNoPlace && k < i) return;  // the other one finds the pair
                // One that has happened and changed nothing may happen again at its moment, and changes nothing again.
                if (const double time = timeOf(i, k); time >= 0 && window_.slotOf(time) >= begin)
                    contacts.push_back(contactOf(time, i, k));
            });
        });
        for (const std::uint32_t at : changed_) bodies_.marks[bodies_.changed[at].index].record = kNoPlace;
        changed_.clear();
    }
    /// Takes the contacts of the window. Those that are out of date are dropped.
    void takeContacts(std::uint32_t begin) {
        for (std::uint32_t slot = begin; slot < window_.end; ++slot) {
            std::vector<WindowContact>& some = memory_.slots[slot];
            memory_.contacts.insert(memory_.contacts.end(), some.begin(), some.end());
            some.clear();
        }
        std::erase_if(memory_.contacts, [&](const WindowContact& c) {
            return bodies_.marks[c.first].version != c.versionFirst || bodies_.marks[c.second].version != c.versionSecond;
        });
    }
    /// Sorts on all threads.
    template <class T, class Less>
    void sort(std::vector<T>& values, const Less& less) const {
        const std::size_t pieces = values.size() < kGrain ? 1 : std::bit_ceil(static_cast<std::size_t>(threads_));
        const auto at = [&](std::size_t piece) {
            return values.begin() + static_cast<std::ptrdiff_t>(values.size() * piece / pieces);
        };
        parallelFor(pieces, threads_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t p = first; p < last; ++p) std::sort(at(p), at(p + 1), less);
        });
        for (std::size_t width = 1; width < pieces; width *= 2)
            parallelFor(pieces / (2 * width), threads_, 1, [&](std::size_t first, std::size_t last) {
                for (std::size_t p = first; p < last; ++p)
                    std::inplace_merge(at(2 * width * p), at(2 * width * p + width), at(2 * width * (p + 1)), less);
            });
    }
    /// Resolves the contacts of the first moment of the window before any path is searched anew, if they are many. Those
    /// without a common body do not depend on each other. False: they are few.
    bool resolveWave() {
        if (threads_ == 1 || memory_.contacts.size() < kFewest) return false;
        const double now = std::ranges::min_element(memory_.contacts, {}, &WindowContact::time)->time;
        const auto others = std::ranges::partition(memory_.contacts, [&](const WindowContact& c) { return c.time == now; });
        if (memory_.contacts.size() - others.size() < kFewest) return false;
        std::vector<WindowContact> wave(memory_.contacts.begin(), others.begin());
        memory_.contacts.erase(memory_.contacts.begin(), others.begin());
        const auto ids = [&](const WindowContact& c) { return std::minmax({found_.id[c.first], found_.id[c.second]}); };
        sort(wave, [&](const WindowContact& a, const WindowContact& b) { return ids(a) < ids(b); });
        // A contact waits for those before it of either body.
        std::vector<std::vector<WindowContact>> levels;
        for (const WindowContact& c : wave) {
            std::uint32_t &a = bodies_.marks[c.first].record, &b = bodies_.marks[c.second].record;
            a = b = std::max(a + 1, b + 1);  // kNoPlace + 1 is 0
            if (a == levels.size()) levels.emplace_back();
            levels[a].push_back(c);
        }
        for (const WindowContact& c : wave) bodies_.marks[c.first].record = bodies_.marks[c.second].record = kNoPlace;
        plan_ = {.now = now, .wave = plan_.now == now ? plan_.wave : 0, .oneWave = true};
        for (const std::vector<WindowContact>& level : levels) {
            const std::size_t parts =
                std::clamp<std::size_t>(level.size() / kPartOfWave, 1, static_cast<std::size_t>(threads_));
            parts_ = 0;
            for (std::size_t p = 0; p < parts; ++p)
                addPart().contacts.assign(level.begin() + static_cast<std::ptrdiff_t>(level.size() * p / parts),
                                          level.begin() + static_cast<std::ptrdiff_t>(level.size() * (p + 1) / parts));
            std::vector<std::uint32_t> due(parts);
            std::iota(due.begin(), due.end(), 0u);
            resolve(due);
            close();
        }
        plan_ = {.now = now, .wave = plan_.wave + 1};
        return true;
    }
    Part& addPart() {
        if (parts_ == memory_.parts.size()) memory_.parts.emplace_back();
        Part& part = memory_.parts[parts_];
        part.joined = static_cast<std::uint32_t>(parts_++);
        part.contacts.clear();
        return part;
    }
    /// Contacts with a common body are of one part.
    void makeParts() {
        std::vector<std::uint32_t>& root = memory_.rootOf;
        parts_ = 0;
        if (threads_ == 1 || memory_.contacts.size() <= kFewest / 2) {
            addPart().contacts = memory_.contacts;
            return;
        }
        const auto rootOf = [&](std::uint32_t i) {
            while (root[i] != i) i = root[i] = root[root[i]];
            return i;
        };
        for (const WindowContact& c : memory_.contacts) root[c.first] = c.first, root[c.second] = c.second;
        for (const WindowContact& c : memory_.contacts) {
            const std::uint32_t a = rootOf(c.first), b = rootOf(c.second);
            root[std::max(a, b)] = std::min(a, b);
        }
        for (const WindowContact& c : memory_.contacts) {
            std::uint32_t& number = bodies_.marks[rootOf(c.first)].record;
            if (number == kNoPlace) {
                number = static_cast<std::uint32_t>(parts_);
                addPart();
            }
            memory_.parts[number].contacts.push_back(c);
        }
        for (const WindowContact& c : memory_.contacts) bodies_.marks[rootOf(c.first)].record = kNoPlace;
    }

    void resolve(std::vector<std::uint32_t>& due) {
        // Long ones first, so that no thread begins one when the others are done.
        if (due.size() > 1)
            std::ranges::sort(due, std::greater(), [&](std::uint32_t p) { return memory_.parts[p].contacts.size(); });
        std::atomic<std::size_t> next = 0;
        const std::size_t workers =
            std::min(static_cast<std::size_t>(threads_), plan_.oneWave ? due.size() : 1 + due.size() / 8);
        parallelFor(workers, threads_, 1, [&](std::size_t first, std::size_t last) {
            Resolver<PartBodies> resolver(contact_, force_, step_);
            for (std::size_t w = first; w < last; ++w)
                for (std::size_t d; (d = next.fetch_add(1, std::memory_order_relaxed)) < due.size();) {
                    Part& part = memory_.parts[due[d]];
                    PartBodies& bodies = *memory_.workers[w];
                    part.result.events.clear();
                    part.result.places.clear();
                    bodies.begin(part.contacts, window_, !plan_.oneWave);
                    RunPlan plan = plan_;
                    plan.few = plan.oneWave || part.contacts.size() < kFewest;
                    resolver.run(bodies, part.result.events, part.result.places, plan);
                    bodies.take(part.result);
                }
        });
    }

    std::uint32_t rootOf(std::uint32_t part) const {
        while (memory_.parts[part].joined != part) part = memory_.parts[part].joined;
        return part;
    }
    /// Finds parts that have changed the same body, or bodies that may touch on their new paths. Returns the parts to
    /// resolve again, which are joined. Without such bodies what has happened is what happens in one queue: its first event
    /// that is missing here, or too many, would be one of two bodies of which no part knows both.
    std::vector<std::uint32_t> thoseThatDisagree() {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> conflicts;
        std::vector<std::uint32_t> living;
        for (std::uint32_t p = 0; p < parts_; ++p)
            if (memory_.parts[p].joined == p) living.push_back(p);
        if (living.size() == 1) return {};
        std::vector<Record>& records = memory_.records;
        records.clear();
        std::uint32_t strays = kNoPlace;
        for (const std::uint32_t p : living) {
            const PartResult& result = memory_.parts[p].result;
            // Of two bodies that have left the paths of their lists no part may know that they come near each other.
            if (result.strays && strays != kNoPlace) conflicts.emplace_back(p, strays);
            if (result.strays) strays = p;
            for (std::uint32_t place = 0; place < result.changes.size(); ++place) {
                std::uint32_t& record = bodies_.marks[result.changes[place].index].record;
                if (record != kNoPlace)
                    conflicts.emplace_back(p, records[record].part);
                else
                    record = static_cast<std::uint32_t>(records.size()), records.push_back({p, place});
            }
        }
        const auto pieces = static_cast<std::size_t>(threads_);
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> found(pieces);
        parallelFor(pieces, records.size() < kGrain ? 1 : threads_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t piece = first; piece < last; ++piece)
                for (std::size_t r = records.size() * piece / pieces; r < records.size() * (piece + 1) / pieces; ++r)
                    bodies_.near(indexOf(records[r]), [&](std::uint32_t k) { compare(records[r], k, found[piece]); });
        });
        for (const std::uint32_t p : living)
            for (const auto& [place, k] : memory_.parts[p].result.strayPairs) compare({p, place}, k, found[0]);
        for (const Record& record : records) bodies_.marks[indexOf(record)].record = kNoPlace;
        for (const auto& some : found) conflicts.insert(conflicts.end(), some.begin(), some.end());
        std::vector<std::uint32_t> again;
        for (const auto& [one, other] : conflicts) {
            const auto [a, b] = std::minmax({rootOf(one), rootOf(other)});
            if (a == b) continue;
            std::vector<WindowContact>&into = memory_.parts[a].contacts, &from = memory_.parts[b].contacts;
            into.insert(into.end(), from.begin(), from.end());
            memory_.parts[b].joined = a;
            again.push_back(a);
        }
        for (std::uint32_t& part : again) part = rootOf(part);
        std::ranges::sort(again);
        again.erase(std::unique(again.begin(), again.end()), again.end());
        return again;
    }
    std::uint32_t indexOf(const Record& record) const {
        return memory_.parts[record.part].result.changes[record.place].index;
    }
    /// Notes the parts of a changed body and of another one near it, if they may touch on new paths.
    void compare(const Record& one, std::uint32_t k, std::vector<std::pair<std::uint32_t, std::uint32_t>>& conflicts) const {
        if (bodies_.marks[k].record == kNoPlace) return;
        const Record& other = memory_.records[bodies_.marks[k].record];
        if (other.part == one.part) return;
        const PartResult &a = memory_.parts[one.part].result, &b = memory_.parts[other.part].result;
        for (std::uint32_t i = a.firstSegment[one.place]; i < a.firstSegment[one.place + 1]; ++i)
            for (std::uint32_t j = b.firstSegment[other.place]; j < b.firstSegment[other.place + 1]; ++j) {
                const Segment &s = a.segments[i], &t = b.segments[j];
                const double from = std::max(s.path.from, t.path.from), end = std::min(s.end, t.end);
                if (from > end) continue;
                const double time = touchTime(s.path.end - t.path.end, s.path.way - t.path.way,
                                              s.path.radius + t.path.radius, from, step_.length, resting());
                if (time >= 0 && time <= end) return conflicts.emplace_back(one.part, other.part), void();
            }
    }

    /// Writes what has happened in the parts to the bodies of the step.
    void close() {
        std::vector<std::uint32_t> living;
        for (std::uint32_t p = 0; p < parts_; ++p) {
            if (memory_.parts[p].joined != p) continue;
            living.push_back(p);
            const PartResult& result = memory_.parts[p].result;
            memory_.events.insert(memory_.events.end(), result.events.begin(), result.events.end());
            memory_.places.insert(memory_.places.end(), result.places.begin(), result.places.end());
            for (const ChangedBody& body : result.changes) {
                std::uint32_t& place = bodies_.marks[body.index].changed;
                if (place == kNoPlace) {
                    place = static_cast<std::uint32_t>(bodies_.changed.size());
                    bodies_.changed.emplace_back();
                }
                changed_.push_back(place);
            }
            for (const auto& [h, index] : result.heavy) bodies_.heavy[h].place = index;
            for (const std::uint64_t pair : result.bounced) ++bodies_.bounces.of(pair, [] { return 0; });
        }
        parallelFor(living.size(), threads_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t n = first; n < last; ++n)
                for (const ChangedBody& body : memory_.parts[living[n]].result.changes) {
                    StepBodies::Mark& mark = bodies_.marks[body.index];
                    bodies_.changed[mark.changed] = body;
                    mark.version = body.version;
                    bodies_.paths[body.index] = body.path;
                }
        });
    }
    std::vector<ContactEvent> finish() {
        BodyChanges& changes = found_.changes;
        changes.changed.clear();
        changes.removed.clear();
        for (const ChangedBody& body : bodies_.changed) {
            if (body.path.alive())
                changes.changed.push_back({body.index, body.position, body.velocity, body.surface});
            else
                changes.removed.push_back(body.index);
        }
        std::ranges::sort(changes.removed);
        std::vector<std::uint32_t> order(memory_.events.size());
        std::iota(order.begin(), order.end(), 0u);
        sort(order, [&](std::uint32_t a, std::uint32_t b) { return memory_.places[a] < memory_.places[b]; });
        std::vector<ContactEvent> events(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) events[k] = memory_.events[order[k]];
        return events;
    }

    FoundContacts& found_;
    const ContactSettings& contact_;
    const ForceSettings& force_;
    const ContactStep& step_;
    PartMemory& memory_;
    StepBodies& bodies_;
    int threads_ = 1;
    ContactWindow window_;
    RunPlan plan_;
    std::size_t parts_ = 0;
    std::vector<std::uint32_t> changed_, renewed_;  ///< places in StepBodies::changed
};

}  // namespace

std::vector<ContactEvent> resolveContacts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step) {
    if (!contact.acts() || found.pairs.empty() || !(step.length > 0)) return {};
    return Parts(found, contact, force, step).resolve();
}

}  // namespace gravlab
