#include "sim/core/body_names.h"

#include "sim/core/text.h"

#include <algorithm>
#include <cctype>

namespace gravlab {
namespace {

/// The printable text without blanks at the ends, at most kMostBytes long and never cut within a character.
std::string shown(std::string_view text) {
    // A file may hold megabytes here, so clean only the beginning.
    std::string clean = printable(trimmed(text.substr(0, 4 * BodyNames::kMostBytes)));
    if (clean.size() > BodyNames::kMostBytes) {
        std::size_t end = BodyNames::kMostBytes;
        while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xc0) == 0x80) --end;
        clean.resize(end);
    }
    return std::string(trimmed(clean));
}

bool sameLetter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

BodyNames::BodyNames(std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i) add(static_cast<std::uint32_t>(i), names[i]);
    sort();
}

bool BodyNames::add(std::uint32_t id, std::string_view name, std::string_view tag) {
    const std::string cleanName = shown(name), cleanTag = shown(tag);
    if (cleanName.empty() && cleanTag.empty()) return true;
    if (places_.size() >= kMostBodies) return false;
    Place place{.id = id,
                .name = static_cast<std::uint32_t>(text_.size()),
                .tag = 0,
                .nameBytes = static_cast<std::uint8_t>(cleanName.size()),
                .tagBytes = static_cast<std::uint8_t>(cleanTag.size())};
    text_ += cleanName;
    // Neighbouring bodies usually have the same tag, so store it once.
    if (!places_.empty() && !cleanTag.empty() && tagAt(places_.back()) == cleanTag) {
        place.tag = places_.back().tag;
    } else {
        place.tag = static_cast<std::uint32_t>(text_.size());
        text_ += cleanTag;
    }
    tags_ = tags_ || !cleanTag.empty();
    places_.push_back(place);
    return true;
}

void BodyNames::sort() {
    std::ranges::stable_sort(places_, {}, &Place::id);
    const auto sameId = [](const Place& a, const Place& b) { return a.id == b.id; };
    places_.erase(std::unique(places_.begin(), places_.end(), sameId), places_.end());
}

BodyNames::Row BodyNames::row(std::size_t index) const {
    const Place& place = places_[index];
    return {place.id, nameAt(place), tagAt(place)};
}

const BodyNames::Place* BodyNames::find(std::uint32_t id) const {
    const auto found = std::ranges::lower_bound(places_, id, {}, &Place::id);
    return found != places_.end() && found->id == id ? &*found : nullptr;
}

std::string_view BodyNames::nameOf(std::uint32_t id) const {
    const Place* place = find(id);
    return place ? nameAt(*place) : std::string_view();
}

std::string_view BodyNames::tagOf(std::uint32_t id) const {
    const Place* place = find(id);
    return place ? tagAt(*place) : std::string_view();
}

std::uint32_t BodyNames::idsEnd() const { return places_.empty() ? 0 : places_.back().id + 1; }

std::vector<BodyNames::Row> BodyNames::matching(std::string_view text, std::size_t most) const {
    std::vector<Row> ranks[3];  // names that equal the text, begin with it, contain it
    text = trimmed(text);
    if (text.empty()) return {};
    for (std::size_t i = 0; i < places_.size() && ranks[0].size() < most; ++i) {
        const std::string_view name = nameAt(places_[i]);
        const auto at = std::search(name.begin(), name.end(), text.begin(), text.end(), sameLetter);
        if (at == name.end()) continue;
        const std::size_t rank = at != name.begin() ? 2 : name.size() == text.size() ? 0 : 1;
        if (ranks[rank].size() < most) ranks[rank].push_back(row(i));
    }
    std::vector<Row> found;
    for (const std::vector<Row>& rank : ranks)
        for (const Row& body : rank)
            if (found.size() < most) found.push_back(body);
    return found;
}

BodyNames BodyNames::renumbered(std::span<const std::uint32_t> ids) const {
    BodyNames others;
    for (const Place& place : places_)
        if (place.id < ids.size()) others.add(ids[place.id], nameAt(place), tagAt(place));
    others.sort();
    return others;
}

BodyNames BodyNames::of(std::span<const std::uint32_t> ids) const {
    BodyNames kept;
    if (places_.empty()) return kept;
    for (const std::uint32_t id : ids)
        if (const Place* place = find(id)) kept.add(id, nameAt(*place), tagAt(*place));
    kept.sort();
    return kept;
}

bool BodyNames::operator==(const BodyNames& other) const {
    return std::ranges::equal(places_, other.places_, [&](const Place& a, const Place& b) {
        return a.id == b.id && nameAt(a) == other.nameAt(b) && tagAt(a) == other.tagAt(b);
    });
}

const SharedBodyNames& noBodyNames() {
    static const SharedBodyNames none = std::make_shared<const BodyNames>();
    return none;
}

}  // namespace gravlab
