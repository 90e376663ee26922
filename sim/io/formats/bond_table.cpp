// Bonds from a table: i,j,length,stiffness,damping,breaking,law, of which the first four are needed. Rule: every refusal
// names the line, and memory follows the lines that are there, not a number that the file states.
#include "sim/io/formats/formats.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/file/source.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace gravlab {
namespace {

constexpr std::string_view kBondColumns[] = {"i", "j", "length", "stiffness", "damping", "breaking", "law"};
enum BondColumn : std::size_t { kFirst, kSecond, kLength, kStiffness, kDamping, kBreaking, kLaw, kBondColumnCount };
constexpr std::size_t kNeeded = 4, kNoColumn = ~std::size_t{0};
// Fewer bytes than any line with four numbers has.
constexpr std::uint64_t kLeastLine = 8;
// A line that states the number of bonds.
constexpr std::string_view kCountMark = "bonds:";

class BondTableReader {
public:
    BondTableReader(Source& source, std::span<const std::uint32_t> ids)
        : source_(source), lines_(source), places_(ids), list_(std::make_shared<BondList>()) {}

    std::shared_ptr<const Bonds> read() {
        std::string_view line;
        while (lines_.next(line)) {
            line = trimmed(line);
            if (line.empty()) continue;
            if (line.front() == '#')
                takeComment(trimmed(line.substr(1)));
            else
                takeLine(line);
        }
        if (!lines_.endedWithNewline() && list_->size() > 0)
            fail("has no line end: the file may be cut short. If it is complete, add a line end");
        if (stated_ && *stated_ != list_->size())
            throw InputError(source_.name() + ": it states " + std::to_string(*stated_) + " bonds and has " +
                             std::to_string(list_->size()));
        if (list_->size() == 0) throw InputError(source_.name() + ": it has no bonds");
        if (const std::optional<std::size_t> doubled = firstDoubledBond(*list_))
            throw InputError(source_.name() + ": line " + std::to_string(lineOf_[*doubled]) + ": bodies " +
                             std::to_string(list_->first[*doubled]) + " and " + std::to_string(list_->second[*doubled]) +
                             " have a bond already");
        return std::make_shared<const Bonds>(list_);
    }

private:
    [[noreturn]] void fail(const std::string& why) const { lines_.fail(why); }

    void takeComment(std::string_view text) {
        if (!text.starts_with(kCountMark)) return;
        text = trimmed(text.substr(kCountMark.size()));
        stated_ = numberFrom<std::uint64_t>(text);
        if (!stated_) fail("the number of bonds is " + excerpt(text));
        const std::string states = "it states " + std::to_string(*stated_) + " bonds";
        if (*stated_ > kMostBonds) fail(states + "; " + std::to_string(kMostBonds) + " are possible");
        if (source_.size() && *stated_ > *source_.size() / kLeastLine)
            fail(states + ", and the file has only " + std::to_string(*source_.size()) + " bytes");
    }

    /// Cells between commas or semicolons, or where there are none, between blanks.
    const std::vector<std::string_view>& split(std::string_view line) {
        const bool semicolons = line.find(';') != line.npos, commas = line.find(',') != line.npos;
        splitCells(line, semicolons ? ';' : commas ? ',' : ' ', cells_);
        return cells_;
    }

    void takeLine(std::string_view line) {
        const std::vector<std::string_view>& cells = split(line);
        if (columns_ == 0) return takeHeader(cells);
        if (cells.size() != columns_)
            fail("it has " + std::to_string(cells.size()) + " columns, and the header has " + std::to_string(columns_));
        Bond bond{valueAt<std::uint32_t>(kFirst, "id of a body"), valueAt<std::uint32_t>(kSecond, "id of a body"), {}};
        bond.numbers.length = valueAt<double>(kLength, "number");
        bond.numbers.stiffness = valueAt<double>(kStiffness, "number");
        bond.numbers.damping = valueAt<double>(kDamping, "number");
        bond.numbers.breaking = valueAt<double>(kBreaking, "number");
        if (const std::string_view law = cellAt(kLaw); !law.empty()) {
            const auto known = std::ranges::find(kBondLaws, law);
            if (known == std::end(kBondLaws)) fail("the law " + excerpt(law) + " is unknown; valid are hooke, fene, morse");
            bond.numbers.law = static_cast<BondLaw>(known - std::begin(kBondLaws));
        }
        if (const std::string problem = bondProblem(bond); !problem.empty()) fail(problem);
        for (const std::uint32_t id : {bond.first, bond.second})
            if (places_.find(id) == BodyPlaces::kMissing) fail("there is no body with the id " + std::to_string(id));
        if (list_->size() == kMostBonds) fail("more than " + std::to_string(kMostBonds) + " bonds are not possible");
        list_->add(bond);
        lineOf_.push_back(lines_.number());
    }

    void takeHeader(const std::vector<std::string_view>& cells) {
        std::ranges::fill(at_, kNoColumn);
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const auto known = std::ranges::find(kBondColumns, cells[c]);
            if (known == std::end(kBondColumns))
                fail("the column " + excerpt(cells[c]) + " is unknown; the first line names columns of " + valid());
            std::size_t& at = at_[known - std::begin(kBondColumns)];
            if (at != kNoColumn) fail("the column " + excerpt(cells[c]) + " stands there twice");
            at = c;
        }
        for (std::size_t k = 0; k < kNeeded; ++k)
            if (at_[k] == kNoColumn)
                fail("the column '" + std::string(kBondColumns[k]) + "' is missing; columns are " + valid());
        columns_ = cells.size();
    }
    static std::string valid() { return "i,j,length,stiffness,damping,breaking,law"; }

    std::string_view cellAt(BondColumn column) const {
        return at_[column] == kNoColumn ? std::string_view() : cells_[at_[column]];
    }
    template <class Number>
    Number valueAt(BondColumn column, const char* kind) const {
        const std::string_view cell = cellAt(column);
        if (cell.empty() && column >= kNeeded) return 0;
        const std::optional<Number> value = numberFrom<Number>(cell);
        if (!value) fail(std::string(kBondColumns[column]) + " is " + excerpt(cell) + ", which is no " + kind);
        return *value;
    }

    Source& source_;
    LineReader lines_;
    BodyPlaces places_;
    std::shared_ptr<BondList> list_;
    std::vector<std::uint64_t> lineOf_;
    std::vector<std::string_view> cells_;
    std::size_t at_[kBondColumnCount]{};  ///< place of each column in a line
    std::size_t columns_ = 0;             ///< of the header; 0 before it
    std::optional<std::uint64_t> stated_;
};

}  // namespace

std::shared_ptr<const Bonds> readBonds(const std::filesystem::path& path, std::span<const std::uint32_t> ids) {
    Source source = Source::open(path);
    return BondTableReader(source, ids).read();
}

std::shared_ptr<const Bonds> decodeBonds(std::string_view bytes, const std::string& name,
                                         std::span<const std::uint32_t> ids) {
    Source source = Source::memory(bytes, name);
    return BondTableReader(source, ids).read();
}

}  // namespace gravlab
