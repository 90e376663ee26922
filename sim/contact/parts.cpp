// The contacts of a step, from the pairs and lists that a device or the host has found. The step is cut into windows of
// time, and the contacts of a window into parts without a common body, which threads resolve beside each other. Where what
// happens in one part reaches another within the window, both are resolved again as one. Rule: the result is that of one
// queue, to the last bit, however time is cut.
#include "sim/contact/part_bodies.h"
#include "sim/core/team.h"

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

/// Events in any order.
struct ContactLog {
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;
    void clear() {
        events.clear();
        places.clear();
    }
};

/// The place of a contact in the order of its wave.
struct WaveKey {
    std::uint64_t ids = 0;  ///< the lower one first
    std::uint32_t a = 0, b = 0, contact = 0;
    bool operator<(const WaveKey& other) const { return ids < other.ids; }
};
/// The place of an event in the order of the step.
struct EventKey {
    EventPlace place;
    const ContactEvent* event = nullptr;
    bool operator<(const EventKey& other) const { return place < other.place; }
};

struct PartMemory {
    StepBodies bodies;
    std::vector<std::unique_ptr<PartBodies>> workers;  ///< one a thread
    std::vector<Part> parts;
    std::vector<std::vector<WindowContact>> slots;  ///< contacts to come
    std::vector<std::uint32_t> rootOf;              ///< of bodies with contacts in the window: another one of the same part
    std::vector<WindowContact> contacts;            ///< of the window
    std::vector<Record> records, latest;            ///< of all living parts; of those that were just resolved
    // Kept from one loop to the next, because new memory costs more than what is done with it.
    std::vector<std::vector<WindowContact>> foundBy, momentBy;  ///< by pieces of a loop; at the moment of a wave
    std::vector<WindowContact> moment;
    std::vector<PairContact> wave;
    std::vector<WaveKey> waveKeys, spareKeys;
    std::vector<std::uint32_t> levelOf, order;  ///< of contacts of a wave
    std::vector<EventKey> eventKeys, spareEvents;
    std::vector<ContactLog> logs;            ///< one a thread
    std::vector<WaveBodies> waves;           ///< one a thread
    std::vector<std::size_t> busy, wasBusy;  ///< events by slots, but for those of waves: now, and in the step before
    std::vector<std::uint32_t> levels;       ///< of bodies of a wave, by their places in StepBodies::changed
};

namespace {

class Parts {
public:
    Parts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force, const ContactStep& step,
          Team& team)
        : found_(found),
          contact_(contact),
          force_(force),
          step_(step),
          memory_(memoryOf(found)),
          bodies_(memory_.bodies),
          team_(team),
          threads_(static_cast<std::size_t>(team.threads())) {
        bodies_.begin(found, step, team);
        while (memory_.workers.size() < threads_) memory_.workers.push_back(std::make_unique<PartBodies>(bodies_));
        memory_.rootOf.resize(found.id.size());
        window_.perTime = ContactWindow::kSlots / step.length;
        memory_.slots.resize(ContactWindow::kSlots);
        for (std::vector<WindowContact>& slot : memory_.slots) slot.clear();
        memory_.contacts.clear();
        memory_.wasBusy.swap(memory_.busy);
        memory_.wasBusy.resize(ContactWindow::kSlots);
        memory_.busy.assign(ContactWindow::kSlots, 0);
        memory_.logs.resize(threads_);
        for (ContactLog& log : memory_.logs) log.clear();
        memory_.waves.resize(threads_);
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
            std::vector<std::uint32_t> due;
            do {
                makeParts();
                due.resize(parts_);
                std::iota(due.begin(), due.end(), 0u);
                while (!due.empty() && !shorten(begin, due)) {
                    resolve(due);
                    due = thoseThatDisagree(due);
                }
            } while (!due.empty());
            memory_.contacts.clear();
            close();
        }
        return finish();
    }

private:
    // Contacts of a window: enough for all threads, and so few that most bodies have one at most.
    static constexpr std::size_t kFewest = 256, kPartOfWave = 16, kBodiesPerContact = 32, kLargePart = 100;
    static constexpr std::uint32_t kWindows = 8;
    static constexpr std::size_t kGrain = 256;

    static PartMemory& memoryOf(FoundContacts& found) {
        if (!found.memory) found.memory = std::make_shared<PartMemory>();
        return *found.memory;
    }
    /// Pieces of a loop that cost about the same each.
    std::size_t piecesOf(std::size_t count) const { return std::clamp<std::size_t>(count / kGrain, 1, threads_); }
    void keep(const WindowContact& contact) { memory_.slots[window_.slotOf(contact.time)].push_back(contact); }
    WindowContact contactOf(double time, std::uint32_t i, std::uint32_t k) const {
        return {time, i, k, bodies_.marks[i].version, bodies_.marks[k].version};
    }
    /// Calls find(at, add) for 0, ... `count` - 1 on all threads, and keeps the contacts that it gives to add(contact).
    /// Those at the moment of a wave are for the next one.
    template <class Find>
    void keepAll(std::size_t count, const Find& find) {
        const std::size_t pieces = piecesOf(count);
        std::vector<std::vector<WindowContact>>&all = memory_.foundBy, &now = memory_.momentBy;
        all.resize(threads_);
        now.resize(threads_);
        team_.forPieces(threads_, [&](std::size_t piece) {
            all[piece].clear();
            now[piece].clear();
            if (piece >= pieces) return;
            const auto add = [&](const WindowContact& contact) {
                (plan_.wave > 0 && contact.time == plan_.now ? now : all)[piece].push_back(contact);
            };
            for (std::size_t at = count * piece / pieces; at < count * (piece + 1) / pieces; ++at) find(at, add);
        });
        for (const std::vector<WindowContact>& some : all)
            for (const WindowContact& contact : some) keep(contact);
        std::vector<std::size_t> begin{0};
        for (const std::vector<WindowContact>& some : now) begin.push_back(begin.back() + some.size());
        memory_.moment.resize(begin.back());
        team_.forRange(now.size(), begin.back() < kGrain ? now.size() : 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t some = first; some < last; ++some)
                std::ranges::copy(now[some], memory_.moment.begin() + static_cast<std::ptrdiff_t>(begin[some]));
        });
    }
    void findFirst() {
        keepAll(found_.pairs.size(), [&](std::size_t at, const auto& add) {
            const auto [i, k] = found_.pairs[at];
            const BodyPath &a = bodies_.paths[i], &b = bodies_.paths[k];
            const double time =
                touchTime(a.end - b.end, a.way - b.way, a.radius + b.radius, 0, step_.length, overlapAtFirst(contact_));
            if (time >= 0) add(contactOf(time, i, k));
        });
    }
    /// Chooses the end of the next window by the contacts that are known, and by those that the step before had.
    void openWindow() {
        std::uint32_t end = window_.end;
        // Far fewer than there are bodies, so that few contacts have a body in common.
        const std::size_t most =
            std::max(kFewest, std::min(found_.pairs.size() / kWindows, found_.id.size() / kBodiesPerContact));
        if (threads_ == 1 || found_.pairs.size() <= kFewest) {
            end = ContactWindow::kSlots;
        } else {
            std::size_t known = 0, expected = 0;
            const std::uint32_t last = std::min(end + ContactWindow::kSlots / kWindows, ContactWindow::kSlots);
            do {
                known += memory_.slots[end].size();
                expected += memory_.wasBusy[end];
            } while (++end < last && known + memory_.slots[end].size() <= most && expected + memory_.wasBusy[end] <= most);
        }
        window_.endAt(end, step_.length);
    }
    /// Bodies that would leave the paths of their lists within the window get others.
    void renewLists() {
        renewed_.clear();
        for (std::uint32_t at = 0; at < bodies_.changed.size(); ++at)
            if (bodies_.holds[at] < window_.endTime && bodies_.changed[at].path.alive()) renewed_.push_back(at);
        bodies_.renewLists(renewed_, plan_.now, team_);
    }
    /// Contacts of bodies that have changed since, or that have other lists.
    void findAnew(std::uint32_t begin) {
        changed_.insert(changed_.end(), renewed_.begin(), renewed_.end());
        for (std::uint32_t n = 0; n < changed_.size(); ++n) bodies_.marks[bodies_.changed[changed_[n]].index].record = n;
        keepAll(changed_.size(), [&](std::size_t n, const auto& add) {
            const std::uint32_t i = bodies_.changed[changed_[n]].index;
            if (bodies_.marks[i].record != n || !bodies_.paths[i].alive()) return;
            bodies_.near(i, [&](std::uint32_t k) {
                if (bodies_.marks[k].record != kNoPlace && k < i) return;  // the other one finds the pair
                // One that has happened and changed nothing may happen again at its moment, and changes nothing again.
                for (const double time : contactTimes(bodies_.paths[i], bodies_.paths[k], 0, step_.length, contact_))
                    if (time >= 0 && window_.slotOf(time) >= begin) add(contactOf(time, i, k));
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
    /// Sorts on all threads; `spare` is scratch memory.
    template <class T>
    void sort(std::vector<T>& values, std::vector<T>& spare) const {
        const std::size_t pieces = values.size() < kGrain ? 1 : std::bit_ceil(threads_);
        const auto at = [&](std::vector<T>& some, std::size_t piece) {
            return some.begin() + static_cast<std::ptrdiff_t>(values.size() * piece / pieces);
        };
        team_.forPieces(pieces, [&](std::size_t piece) { std::sort(at(values, piece), at(values, piece + 1)); });
        spare.resize(values.size());
        for (std::size_t width = 1; width < pieces; width *= 2) {
            team_.forPieces(pieces / (2 * width), [&](std::size_t pair) {
                const auto middle = at(values, 2 * width * pair + width);
                std::merge(at(values, 2 * width * pair), middle, middle, at(values, 2 * width * (pair + 1)),
                           at(spare, 2 * width * pair));
            });
            values.swap(spare);
        }
    }
    /// Resolves the contacts of the first moment of the window before any path is searched anew, if they are many. Those
    /// without a common body do not depend on each other. False: they are few.
    bool resolveWave() {
        std::vector<WindowContact>&taken = memory_.moment, &contacts = memory_.contacts;
        double now = plan_.now;
        if (taken.size() < kFewest) {
            contacts.insert(contacts.end(), taken.begin(), taken.end());
            taken.clear();
            if (threads_ == 1 || contacts.size() < kFewest) return false;
            now = std::ranges::min_element(contacts, {}, &WindowContact::time)->time;
            const auto others = std::ranges::partition(contacts, [&](const WindowContact& c) { return c.time == now; });
            if (contacts.size() - others.size() < kFewest) return false;
            taken.assign(contacts.begin(), others.begin());
            contacts.erase(contacts.begin(), others.begin());
        }
        std::vector<PairContact>& wave = memory_.wave;
        makeWave(taken);
        taken.clear();
        sort(memory_.waveKeys, memory_.spareKeys);
        // A contact waits for those before it of either body.
        std::vector<std::uint32_t>& levels = memory_.levels;
        levels.assign(bodies_.changed.size(), 0);
        std::vector<std::uint32_t>& levelOf = memory_.levelOf;
        levelOf.resize(wave.size());
        std::vector<std::uint32_t> end;
        for (std::size_t n = 0; n < wave.size(); ++n) {
            const WaveKey& contact = memory_.waveKeys[n];
            const std::uint32_t level = std::max(levels[contact.a], levels[contact.b]);
            levels[contact.a] = levels[contact.b] = level + 1;
            levelOf[n] = level;
            if (level == end.size()) end.push_back(0);
            ++end[level];
        }
        std::exclusive_scan(end.begin(), end.end(), end.begin(), 0u);
        std::vector<std::uint32_t>& order = memory_.order;
        order.resize(wave.size());
        for (std::uint32_t n = 0; n < order.size(); ++n) order[end[levelOf[n]]++] = memory_.waveKeys[n].contact;
        plan_ = {.now = now, .wave = plan_.now == now ? plan_.wave : 0};
        ++waves_;
        for (WaveBodies& bodies : memory_.waves) bodies.begin(bodies_, waves_);
        std::vector<Resolver<WaveBodies>> resolvers(threads_, Resolver<WaveBodies>(contact_, force_, step_));
        for (std::size_t level = 0, first = 0; level < end.size(); first = end[level++]) {
            const std::size_t count = end[level] - first, pieces = std::clamp<std::size_t>(count / kPartOfWave, 1, threads_);
            team_.forPieces(pieces, [&](std::size_t piece) {
                ContactLog& log = memory_.logs[piece];
                for (std::size_t n = first + count * piece / pieces; n < first + count * (piece + 1) / pieces; ++n)
                    resolvers[piece].happen(memory_.waves[piece], wave[order[n]], plan_.wave, log.events, log.places);
            });
            shareHeavy();
        }
        closeWave();
        plan_ = {.now = now, .wave = plan_.wave + 1};
        return true;
    }
    /// Contacts of a moment, whose bodies get places in StepBodies::changed.
    void makeWave(const std::vector<WindowContact>& contacts) {
        const std::size_t before = bodies_.changed.size();
        for (const WindowContact& c : contacts)
            for (const std::uint32_t index : {c.first, c.second}) bodies_.placeInChanged(index);
        team_.forRange(bodies_.changed.size() - before, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t at = before + first; at < before + last; ++at)
                bodies_.changed[at] = bodies_.firstBodyOf(bodies_.changed[at].index);
        });
        std::vector<PairContact>& wave = memory_.wave;
        wave.resize(contacts.size());
        memory_.waveKeys.resize(contacts.size());
        team_.forRange(wave.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t n = first; n < last; ++n) {
                WindowContact c = contacts[n];
                if (found_.id[c.second] < found_.id[c.first]) {
                    std::swap(c.first, c.second);
                    std::swap(c.versionFirst, c.versionSecond);
                }
                const std::uint32_t a = bodies_.marks[c.first].changed, b = bodies_.marks[c.second].changed;
                wave[n] = {c.time, found_.id[c.first], found_.id[c.second], a, b, c.versionFirst, c.versionSecond};
                memory_.waveKeys[n] = {std::uint64_t{wave[n].lower} << 32 | wave[n].higher, a, b,
                                       static_cast<std::uint32_t>(n)};
            }
        });
        for (const PairContact& c : wave) {
            bodies_.changed[c.a].version = c.versionA;
            bodies_.changed[c.b].version = c.versionB;
        }
    }
    /// Tells all threads which heavy bodies have become a part of others.
    void shareHeavy() {
        if (std::ranges::none_of(memory_.waves, &WaveBodies::heavyMoved)) return;
        const std::vector<HeavyBody> before = bodies_.heavy;
        for (WaveBodies& bodies : memory_.waves)
            if (std::exchange(bodies.heavyMoved, false))
                for (std::size_t h = 0; h < before.size(); ++h)
                    if (const std::uint32_t place = bodies.heavy()[h].place; place != bodies_.marks[before[h].place].changed)
                        bodies_.heavy[h].place = bodies_.changed[place].index;
        for (WaveBodies& bodies : memory_.waves)
            for (std::size_t h = 0; h < before.size(); ++h)
                bodies.heavy()[h].place = bodies_.marks[bodies_.heavy[h].place].changed;
    }
    void closeWave() {
        for (const WaveBodies& bodies : memory_.waves)
            changed_.insert(changed_.end(), bodies.changed.begin(), bodies.changed.end());
        // Each thread counts the bounces of its own tables.
        team_.forPieces(threads_, [&](std::size_t piece) {
            for (const WaveBodies& bodies : memory_.waves)
                for (const std::uint64_t pair : bodies.bounced)
                    if (StepBodies::bounceTableOf(pair) % threads_ == piece) bodies_.addBounce(pair);
        });
        team_.forRange(changed_.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t n = first; n < last; ++n) {
                ChangedBody& body = bodies_.changed[changed_[n]];
                body.changed = true;
                body.changePath(body.path.from, step_.length);
                bodies_.holds[changed_[n]] = body.holds;
                bodies_.marks[body.index].version = body.version;
                bodies_.paths[body.index] = body.path;
            }
        });
    }
    Part& addPart() {
        if (parts_ == memory_.parts.size()) memory_.parts.emplace_back();
        Part& part = memory_.parts[parts_];
        part.joined = static_cast<std::uint32_t>(parts_++);
        part.contacts.clear();
        return part;
    }
    /// Ends the window earlier where one of the parts to resolve has so many contacts that threads would wait for it.
    bool shorten(std::uint32_t begin, const std::vector<std::uint32_t>& due) {
        std::size_t largest = 0;
        for (const std::uint32_t part : due) largest = std::max(largest, memory_.parts[part].contacts.size());
        if (threads_ == 1 || window_.end - begin < 2 || largest * threads_ < memory_.contacts.size() || largest < kLargePart)
            return false;
        window_.endAt(begin + (window_.end - begin) / 2, step_.length);
        std::erase_if(memory_.contacts, [&](const WindowContact& c) {
            const bool later = !window_.has(c.time);
            if (later) keep(c);
            return later;
        });
        return true;
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
        const std::size_t workers = std::min(threads_, 1 + due.size() / 8);
        team_.forPieces(workers, [&](std::size_t worker) {
            Resolver<PartBodies> resolver(contact_, force_, step_);
            PartBodies& bodies = *memory_.workers[worker];
            for (std::size_t d; (d = next.fetch_add(1, std::memory_order_relaxed)) < due.size();) {
                Part& part = memory_.parts[due[d]];
                part.result.events.clear();
                part.result.places.clear();
                bodies.begin(part.contacts, window_);
                RunPlan plan = plan_;
                plan.few = part.contacts.size() < kFewest;
                resolver.run(bodies, part.result.events, part.result.places, plan);
                bodies.take(part.result);
            }
        });
    }

    std::uint32_t rootOf(std::uint32_t part) const {
        while (memory_.parts[part].joined != part) part = memory_.parts[part].joined;
        return part;
    }
    /// Finds parts that have changed the same body, or bodies that may touch on their new paths. Parts that were not just
    /// resolved agree with each other. Returns the parts to resolve again, which are joined. Without such bodies the events
    /// are those of one queue: the first wrong event would be one of two bodies of which no part knows both.
    std::vector<std::uint32_t> thoseThatDisagree(const std::vector<std::uint32_t>& resolved) {
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
        std::vector<Record>& latest = memory_.latest;
        latest.clear();
        for (const std::uint32_t p : resolved)
            for (std::uint32_t place = 0; place < memory_.parts[p].result.changes.size(); ++place)
                latest.push_back({p, place});
        const std::size_t pieces = piecesOf(latest.size());
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> found(pieces);
        team_.forPieces(pieces, [&](std::size_t piece) {
            for (std::size_t r = latest.size() * piece / pieces; r < latest.size() * (piece + 1) / pieces; ++r)
                bodies_.near(indexOf(latest[r]), [&](std::uint32_t k) { compare(latest[r], k, found[piece]); });
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
                for (const double time : contactTimes(s.path, t.path, from, step_.length, contact_))
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
            for (const EventPlace& place : result.places) ++memory_.busy[window_.slotOf(place.time)];
            for (const ChangedBody& body : result.changes) changed_.push_back(bodies_.placeInChanged(body.index));
            for (const auto& [h, index] : result.heavy) bodies_.heavy[h].place = index;
            for (const std::uint64_t pair : result.bounced) bodies_.addBounce(pair);
        }
        const std::size_t pieces = std::min(threads_, living.size());
        team_.forPieces(pieces, [&](std::size_t piece) {
            ContactLog& log = memory_.logs[piece];
            for (std::size_t n = living.size() * piece / pieces; n < living.size() * (piece + 1) / pieces; ++n) {
                const PartResult& result = memory_.parts[living[n]].result;
                log.events.insert(log.events.end(), result.events.begin(), result.events.end());
                log.places.insert(log.places.end(), result.places.begin(), result.places.end());
                for (const ChangedBody& body : result.changes) {
                    StepBodies::Mark& mark = bodies_.marks[body.index];
                    bodies_.changed[mark.changed] = body;
                    bodies_.holds[mark.changed] = body.holds;
                    mark.version = body.version;
                    bodies_.paths[body.index] = body.path;
                }
            }
        });
    }
    std::vector<ContactEvent> finish() {
        BodyChanges& changes = found_.changes;
        changes.changed.clear();
        changes.removed.clear();
        for (const ChangedBody& body : bodies_.changed) {
            if (!body.changed) continue;
            if (body.path.alive())
                changes.changed.push_back({body.index, body.position, body.velocity, body.surface});
            else
                changes.removed.push_back(body.index);
        }
        std::ranges::sort(changes.removed);
        std::vector<EventKey>& keys = memory_.eventKeys;
        std::vector<std::size_t> begin{0};
        for (const ContactLog& log : memory_.logs) begin.push_back(begin.back() + log.events.size());
        keys.resize(begin.back());
        team_.forPieces(memory_.logs.size(), [&](std::size_t which) {
            const ContactLog& log = memory_.logs[which];
            for (std::size_t k = 0; k < log.events.size(); ++k) keys[begin[which] + k] = {log.places[k], &log.events[k]};
        });
        sort(keys, memory_.spareEvents);
        std::vector<ContactEvent> events(keys.size());
        team_.forRange(events.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) events[k] = *keys[k].event;
        });
        return events;
    }

    FoundContacts& found_;
    const ContactSettings& contact_;
    const ForceSettings& force_;
    const ContactStep& step_;
    PartMemory& memory_;
    StepBodies& bodies_;
    Team& team_;
    std::size_t threads_ = 1;
    ContactWindow window_;
    RunPlan plan_;
    std::size_t parts_ = 0;
    std::uint32_t waves_ = 0;                       ///< of the step
    std::vector<std::uint32_t> changed_, renewed_;  ///< places in StepBodies::changed
};

}  // namespace

std::vector<ContactEvent> resolveContacts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step) {
    if (!contact.acts() || found.pairs.empty() || !(step.length > 0)) return {};
    std::vector<ContactEvent> events;
    Team::gather(step.threads, [&](Team& team) { events = Parts(found, contact, force, step, team).resolve(); });
    return events;
}

}  // namespace gravlab
