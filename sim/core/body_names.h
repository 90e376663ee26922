// Names and tags of single bodies, by id, so that they stay with their bodies through edits and re-ordering. Sparse: most
// bodies have none.
// Rule: printable and bounded, whatever a file holds; a name says nothing of the motion and is in no fingerprint.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

class BodyNames {
public:
    static constexpr std::size_t kMostBytes = 64;                     ///< of a name, and of a tag
    static constexpr std::size_t kMostBodies = std::size_t{1} << 20;  ///< that have one; of more the first are kept
    struct Row {
        std::uint32_t id = 0;
        std::string_view name{}, tag{};  ///< as long as the list lives
    };

    BodyNames() = default;
    /// The first bodies in the order of their ids, from 0.
    explicit BodyNames(std::span<const std::string_view> names);

    /// Takes a name, a tag or both, made printable and cut at kMostBytes; nothing where both are empty. False where the list
    /// is full. Of an id that is there twice the first counts. Rows are in order, and found, after sort().
    bool add(std::uint32_t id, std::string_view name, std::string_view tag = {});
    void sort();

    bool empty() const { return places_.empty(); }
    std::size_t size() const { return places_.size(); }
    /// By rising id.
    Row row(std::size_t index) const;
    /// Empty where that body has none.
    std::string_view nameOf(std::uint32_t id) const;
    std::string_view tagOf(std::uint32_t id) const;
    bool anyTags() const { return tags_; }
    /// Above all ids that have a name, so that none is given to another body; 0: there are none.
    std::uint32_t idsEnd() const;

    /// Bodies whose name has the text in it, whatever the case: the same name first, then those that begin with it, then by
    /// id; at most so many.
    std::vector<Row> matching(std::string_view text, std::size_t most) const;
    /// With other ids: `ids[i]` for id i. Ids beyond go.
    BodyNames renumbered(std::span<const std::uint32_t> ids) const;
    /// Those of these bodies alone.
    BodyNames of(std::span<const std::uint32_t> ids) const;

    bool operator==(const BodyNames& other) const;

private:
    /// Text lies in one piece: a string each would take several times the room.
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

/// Never null; what shares it changes nothing.
using SharedBodyNames = std::shared_ptr<const BodyNames>;
const SharedBodyNames& noBodyNames();

}  // namespace gravlab
