// Names and tags of single bodies, by id, so that they stay with their bodies through edits and re-ordering. Sparse: most
// bodies have no name. Rule: names are printable and bounded, whatever a file holds; the motion and the fingerprint do not
// depend on them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

class BodyNames {
public:
    static constexpr std::size_t kMostBytes = 64;                     ///< length of a name or tag
    static constexpr std::size_t kMostBodies = std::size_t{1} << 20;  ///< with a name or tag; bodies beyond this keep none
    struct Row {
        std::uint32_t id = 0;
        std::string_view name{}, tag{};  ///< valid as long as the list lives
    };

    BodyNames() = default;
    /// Gives the first bodies these names: ids count from 0.
    explicit BodyNames(std::span<const std::string_view> names);

    /// Adds a name, a tag or both, made printable and cut at kMostBytes; adds nothing when both are empty. Returns false
    /// when the list is full. The first entry of an id counts. Rows are sorted and can be found after sort().
    bool add(std::uint32_t id, std::string_view name, std::string_view tag = {});
    void sort();

    bool empty() const { return places_.empty(); }
    std::size_t size() const { return places_.size(); }
    /// The row at this place, by rising id.
    Row row(std::size_t index) const;
    /// The name of a body; empty when it has none.
    std::string_view nameOf(std::uint32_t id) const;
    std::string_view tagOf(std::uint32_t id) const;
    bool anyTags() const { return tags_; }
    /// An id above all ids with a name, so that a new body takes no old name. 0: the list is empty.
    std::uint32_t idsEnd() const;

    /// At most `most` bodies whose name contains the text in any case: equal names first, then names that begin with the
    /// text, then by id.
    std::vector<Row> matching(std::string_view text, std::size_t most) const;
    /// The same names under other ids: `ids[i]` replaces id i. Names of ids beyond the list are dropped.
    BodyNames renumbered(std::span<const std::uint32_t> ids) const;
    /// The names of these bodies alone.
    BodyNames of(std::span<const std::uint32_t> ids) const;

    bool operator==(const BodyNames& other) const;

private:
    /// All text lies in one string: a string per name would take several times the memory.
    struct Place {
        std::uint32_t id, name, tag;
        std::uint8_t nameBytes, tagBytes;
    };
    const Place* find(std::uint32_t id) const;
    std::string_view nameAt(const Place& place) const { return std::string_view(text_).substr(place.name, place.nameBytes); }
    std::string_view tagAt(const Place& place) const { return std::string_view(text_).substr(place.tag, place.tagBytes); }

    std::string text_;
    std::vector<Place> places_;
    bool tags_ = false;
};

/// Never null. The names are const, because several owners hold them.
using SharedBodyNames = std::shared_ptr<const BodyNames>;
const SharedBodyNames& noBodyNames();

}  // namespace gravlab
