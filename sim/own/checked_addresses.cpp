// PTX is read statement by statement and written unchanged, with checks in between. The language:
// https://docs.nvidia.com/cuda/parallel-thread-execution.
#include "sim/own/checked_functions.h"

#include "sim/core/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gravlab {
namespace {

using namespace asking;

/// Ends the work on a text that cannot be checked.
struct Refused {
    std::string why;
    int line = 0;
};

/// Instructions that touch memory, and how they do it; an instruction in neither table is refused.
struct Touching {
    std::string_view name;
    Verb verb;
    unsigned bytes;  ///< 0: the bytes of its type
};
constexpr Touching kTouching[] = {
    {"ld", Verb::reads, 0},    {"ldu", Verb::reads, 0},      {"st", Verb::stores, 0},       {"atom", Verb::changes, 0},
    {"red", Verb::changes, 0}, {"prefetch", Verb::reads, 1}, {"prefetchu", Verb::reads, 1},
};

/// Instructions that touch registers only, or wait; `call`, `cp`, barriers and traps are checked one by one.
constexpr std::string_view kHarmless =
    " abs activemask add addc and bfe bfi bfind bmsk bra brev clz cnot copysign cos createpolicy cvt "
    "cvta div dp2a dp4a elect ex2 exit fence fma fns griddepcontrol isspacep lg2 lop3 mad mad24 madc "
    "match max membar min mma mov movmatrix mul mul24 nanosleep neg not or pmevent popc prmt rcp redux "
    "rem ret rsqrt sad selp set setp shf shfl shl shr sin slct sqrt sub subc szext tanh testp vabsdiff "
    "vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset "
    "vset2 vset4 vshl vshr vsub vsub2 vsub4 xor ";

/// A type, and the bytes of its values.
struct Type {
    std::string_view name;
    unsigned bytes;
};
constexpr Type kTypes[] = {
    {"b8", 1},     {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2},   {"s16", 2}, {"f16", 2},
    {"bf16", 2},   {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},   {"b64", 8}, {"f16x2", 4},
    {"bf16x2", 4}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16},
};

/// Words of memory instructions that change neither the kind nor the address of an access.
constexpr std::string_view kWords =
    " weak relaxed acquire release acq_rel volatile cta cluster gpu sys nc ca cg cs cv lu wb wt add inc "
    "dec min max and or xor exch cas noftz mmio L1 L2 ";

struct SpaceWord {
    std::string_view name;
    Space space;
};
constexpr SpaceWord kSpaces[] = {
    {"global", Space::global},         {"shared", Space::shared},          {"shared::cta", Space::shared},
    {"local", Space::local},           {"const", Space::constant},         {"param", Space::parameter},
    {"param::func", Space::parameter}, {"param::entry", Space::parameter},
};

constexpr std::string_view kBlanks = " \t\r\n";

bool among(std::string_view all, std::string_view word) {
    return all.find(" " + std::string(word) + " ") != std::string_view::npos;
}

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> all;
    while (!(text = trimmed(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return all;
}

template <class T>
std::optional<T> whole(std::string_view text) {
    T value{};
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    if (text.ends_with('U')) text.remove_suffix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The text with blanks in place of comments, so that positions stay the same.
std::string withoutRemarks(std::string_view ptx) {
    std::string all(ptx);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (all[i] == '"') {
            i = std::min(all.find('"', i + 1), all.size());
            continue;
        }
        const bool line = all[i] == '/' && all[i + 1] == '/', block = all[i] == '/' && all[i + 1] == '*';
        if (!line && !block) continue;
        std::size_t end = line ? all.find('\n', i) : all.find("*/", i + 2);
        end = end == std::string::npos ? all.size() : line ? end : end + 2;
        for (; i < end; ++i)
            if (all[i] != '\n') all[i] = ' ';
        --i;
    }
    return all;
}

/// A variable of the module: arrays of all spaces.
struct Variable {
    Space space;
    CheckedArray array;
};

std::vector<CheckedArray>& arraysOf(CheckedArrays& all, Space space) {
    return space == Space::shared ? all.shared : space == Space::constant ? all.constant : all.global;
}

/// One function or entry: its pieces in order, with the text added before and after each.
struct Piece {
    std::string_view text;
    std::string before, behind;
};

class Rewriter {
public:
    Rewriter(std::string_view ptx, const CheckedLaunch& launch)
        : launch_(launch), clean_(withoutRemarks(ptx)), left_(clean_) {}

    CheckedCode all() {
        // The PTX states the file number of the text at its end.
        for (std::size_t at = 0; (at = clean_.find(".file", at)) != std::string::npos; ++at) {
            const std::string_view line = std::string_view(clean_).substr(at, clean_.find('\n', at) - at);
            const auto said = words(line);
            if (said.size() < 3) continue;
            std::string_view name = line.substr(line.find('"') + 1);
            name = name.substr(0, name.rfind('"'));
            if (name == launch_.file || name.ends_with("/" + launch_.file)) textFile_ = said[1];
        }
        while (!(skipBlanks(), left_.empty())) moduleStatement();
        if (!entry_) throw Refused{"has no entry"};
        expectNoCircle();
        // The position is after the last function, where all variables are known, and before the sections for debuggers.
        CheckedCode code;
        for (const Variable& variable : variables_) arraysOf(code.arrays, variable.space).push_back(variable.array);
        code.ptx = head_ + declarations() + out_ + functions(code.arrays) + tail_;
        for (auto* arrays : {&code.arrays.global, &code.arrays.shared, &code.arrays.constant})
            for (CheckedArray& array : *arrays) array.name = lastName(array.name);
        code.accesses = accesses_;
        return code;
    }

private:
    [[noreturn]] void refuse(const std::string& why) const { throw Refused{why, line_}; }

    void skipBlanks() { left_.remove_prefix(std::min(left_.find_first_not_of(kBlanks), left_.size())); }
    std::string_view taken(std::size_t count) {
        const std::string_view text = left_.substr(0, count);
        left_.remove_prefix(text.size());
        return text;
    }
    std::string_view takenLine() { return taken(std::min(left_.find('\n'), left_.size())); }
    /// Reads up to and including the character, with any braces before it.
    std::string_view takenTo(char last) {
        const std::size_t end = left_.find(last);
        if (end == std::string_view::npos) refuse("is no complete PTX");
        return taken(end + 1);
    }

    void moduleStatement() {
        for (const std::string_view begin : {".version", ".target", ".address_size"})
            if (left_.starts_with(begin)) {
                head_ += std::string(takenLine()) + "\n";
                return;
            }
        if (left_.starts_with(".file")) {
            tail_ += std::string(takenLine()) + "\n";
            return;
        }
        if (left_.starts_with(".section")) {
            tail_ += std::string(takenTo('}')) + "\n";
            return;
        }
        // A declaration ends with ; and a function begins with a { without a = before it.
        const std::size_t end = left_.find_first_of(";{=");
        if (end == std::string_view::npos) refuse("is no complete PTX");
        if (left_[end] == '{') {
            const std::string_view head = taken(end);
            function(head);
            return;
        }
        const std::string_view declaration = takenTo(';');
        const std::vector<std::string_view> said = words(declaration.substr(0, declaration.find_first_of("=;")));
        const auto has = [&](std::string_view word) { return std::ranges::find(said, word) != said.end(); };
        if (!has(".func") && !has(".entry")) declare(declaration);
        out_ += std::string(declaration) + "\n";
    }

    /// Records a variable in memory. Other directives are ignored.
    std::optional<Space> declare(std::string_view declaration) {
        declaration = trimmed(declaration.substr(0, declaration.find_first_of("=;")));
        std::optional<Space> space;
        std::uint64_t bytes = 0;
        bool external = false;
        std::vector<std::string_view> said = words(declaration);
        for (const std::string_view word : said) {
            const std::string_view name = word.substr(word.starts_with('.') ? 1 : 0);
            external = external || word == ".extern";
            for (const SpaceWord& row : kSpaces)
                if (row.name == name && word.starts_with('.')) space = row.space;
            for (const Type& row : kTypes)
                if (row.name == name && word.starts_with('.')) bytes = row.bytes;
        }
        if (!space || *space == Space::parameter) return std::nullopt;
        // The last word is the name, followed by [4][3].
        std::string_view name = said.back();
        if (said.size() < 3 || bytes == 0 || declaration.find(',') != std::string_view::npos)
            refuse("declares '" + printable(declaration) + "', whose size is not known");
        const std::size_t bracket = std::min(name.find('['), name.size());
        std::string_view sizes = name.substr(bracket);
        name = name.substr(0, bracket);
        while (!sizes.empty()) {
            const std::size_t close = sizes.find(']');
            if (!sizes.starts_with('[') || close == std::string_view::npos)
                refuse("declares '" + printable(declaration) + "', whose size is not known");
            const std::optional<std::uint64_t> many = whole<std::uint64_t>(sizes.substr(1, close - 1));
            const bool dynamic = external && *space == Space::shared && sizes == "[]";
            if (!many && !dynamic) refuse("declares '" + printable(declaration) + "', whose size is not known");
            bytes = dynamic ? launch_.shared : bytes * *many;
            sizes.remove_prefix(close + 1);
        }
        if (*space == Space::local) {
            stack_.emplace_back(name);
        } else {
            variables_.push_back({*space, {std::string(name), bytes}});
        }
        symbols_.insert(std::string(name));
        return space;
    }

    void function(std::string_view head) {
        const std::vector<std::string_view> said = words(head);
        const bool isEntry = std::ranges::find(said, ".entry") != said.end();
        if (!isEntry && std::ranges::find(said, ".func") == said.end())
            refuse("has '" + printable(trimmed(head).substr(0, 40)) + "', which is no function");
        function_ = nameOf(head, isEntry);
        functions_.push_back(function_);
        pieces_.clear();
        stack_.clear();
        labels_.clear();
        tables_.clear();
        heads_.clear();
        scopes_.assign(1, {});
        hoisted_.clear();
        taken(1);  // {
        std::optional<std::size_t> first;
        while (!scopes_.empty()) {
            skipBlanks();
            if (left_.empty()) refuse("is no complete PTX");
            const std::size_t before = pieces_.size();
            if (bodyStatement() && !first) first = before;
        }
        for (const auto& [label, line] : heads_) pieces_[label].behind += turn(line);
        std::string prologue, stack;
        if (isEntry) {
            // The position of a stack must also be known where only a called function has one.
            if (clean_.find(".local") != std::string::npos) {
                stack = "\t.local .align 16 .b8 gravlab_checked_stack[16];\n";
                stack_.emplace_back("gravlab_checked_stack");
            }
            prologue = entryPrologue(stack_);
        }
        prologue += functionPrologue();
        std::string text = hoisted_ + std::string(head);
        if (isEntry && head.find(".maxntid") == std::string_view::npos && head.find(".reqntid") == std::string_view::npos)
            text += ".maxntid " + std::to_string(launch_.block) + ", 1, 1\n";
        text += "{\n" + stack + registers();
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            if (i == first.value_or(pieces_.size())) text += prologue;
            text += pieces_[i].before + std::string(pieces_[i].text) + "\n" + pieces_[i].behind;
        }
        out_ += text;
        entry_ = entry_ || isEntry;
    }

    std::string nameOf(std::string_view head, bool isEntry) const {
        std::string_view rest = trimmed(head.substr(head.find(isEntry ? ".entry" : ".func") + (isEntry ? 6 : 5)));
        if (rest.starts_with('(')) rest = trimmed(rest.substr(std::min(rest.find(')') + 1, rest.size())));
        std::size_t end = 0;
        while (end < rest.size() && isNameCharacter(rest[end])) ++end;
        return std::string(rest.substr(0, end));
    }

    /// One statement of a body; true for an instruction.
    bool bodyStatement() {
        if (left_.front() == '{') {
            scopes_.emplace_back();
            pieces_.push_back({taken(1), {}, {}});
            return false;
        }
        if (left_.front() == '}') {
            scopes_.pop_back();
            pieces_.push_back({taken(1), {}, {}});
            return false;
        }
        if (left_.starts_with(".loc") && left_.size() > 4 && std::isspace(static_cast<unsigned char>(left_[4]))) {
            const std::string_view line = takenLine();
            place(line);
            pieces_.push_back({line, {}, {}});
            return false;
        }
        if (left_.front() == '.') {
            const std::string_view text = takenTo(';');
            if (text.starts_with(".reg")) {
                declareRegisters(text);
            } else if (text.starts_with(".branchtargets")) {
                branch(text.substr(14));
                tables_[lastLabel_] = partsOf(text.substr(14), ',').size();
            } else if (const std::optional<Space> space = declare(text); space == Space::shared) {
                hoisted_ += std::string(text) + "\n";  // where the functions of checks see it, too
                return false;
            } else if (space == Space::local && scopes_.size() > 1) {
                refuse("declares local memory within a block");
            }
            pieces_.push_back({text, {}, {}});
            return false;
        }
        std::size_t name = 0;
        while (name < left_.size() && isNameCharacter(left_[name])) ++name;
        const std::size_t colon = left_.find_first_not_of(kBlanks, name);
        if (name > 0 && colon != std::string_view::npos && left_[colon] == ':' && !left_.substr(colon).starts_with("::")) {
            lastLabel_ = std::string(left_.substr(0, name));
            labels_[lastLabel_].push_back(pieces_.size());
            pieces_.push_back({taken(colon + 1), {}, {}});
            return false;
        }
        const std::string_view text = takenTo(';');
        std::string before = instruction(text);
        pieces_.push_back({text, std::move(before), {}});
        return true;
    }

    /// Reads .loc FILE LINE COLUMN, function_name NAME, inlined_at FILE LINE COLUMN: the first line that is in the text.
    void place(std::string_view said) {
        std::vector<std::string_view> at = words(said);
        for (std::size_t i = 0; i + 2 < at.size(); ++i) {
            if (at[i] != ".loc" && at[i] != "inlined_at") continue;
            const std::optional<int> line = whole<int>(at[i + 2]);
            if (at[i + 1] == textFile_ && line && *line > 0) {
                line_ = *line;
                return;
            }
        }
    }

    /// Reads .reg .b64 %rd<10>; or .reg .u32 a, b;
    void declareRegisters(std::string_view text) {
        text.remove_suffix(1);
        const std::vector<std::string_view> said = words(text);
        unsigned bytes = 0;
        std::size_t from = 4;
        for (const std::string_view word : said) {
            if (!word.starts_with('.')) break;
            for (const Type& row : kTypes)
                if (word.substr(1) == row.name) bytes = row.bytes;
            from = static_cast<std::size_t>(word.data() - text.data()) + word.size();
        }
        for (const std::string_view name : partsOf(text.substr(from), ','))
            scopes_.back()[std::string(name.substr(0, name.find('<')))] = {bytes, name.find('<') != std::string_view::npos};
    }
    /// Bytes of a register; 0: the name is no register.
    unsigned registerBytes(std::string_view name) const {
        const std::size_t digits = name.find_last_not_of("0123456789") + 1;
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            if (const auto found = scope->find(std::string(name)); found != scope->end() && !found->second.many)
                return found->second.bytes;
            if (const auto found = scope->find(std::string(name.substr(0, digits)));
                digits < name.size() && found != scope->end() && found->second.many)
                return found->second.bytes;
        }
        return 0;
    }

    /// Records the targets of a jump; a target before the jump is the head of a loop.
    void branch(std::string_view targets) {
        if (targets.ends_with(';')) targets.remove_suffix(1);
        for (const std::string_view target : partsOf(targets, ','))
            if (const auto found = labels_.find(std::string(target)); found != labels_.end())
                for (const std::size_t label : found->second) heads_[label] = line_;
    }

    std::string instruction(std::string_view text) {
        text.remove_suffix(1);
        text = trimmed(text);
        std::string guard;
        if (text.starts_with('@')) {
            const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
            guard = std::string(text.substr(0, end)) + " ";
            text = trimmed(text.substr(end));
        }
        const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
        const std::string_view opcode = text.substr(0, end), operands = trimmed(text.substr(end));
        const std::vector<std::string_view> said = partsOf(opcode, '.');
        const std::string_view name = said.front();
        shown_ = "'" + printable(opcode) + "'";
        if (const auto touching = std::ranges::find(kTouching, name, &Touching::name); touching != std::end(kTouching))
            return access(*touching, said, operands, guard);
        struct Special {
            std::string_view name;
            std::string (Rewriter::*ask)(const std::vector<std::string_view>&, std::string_view, const std::string&);
        };
        static constexpr Special kSpecial[] = {
            {"cp", &Rewriter::asynchronousCopy}, {"bar", &Rewriter::barrier}, {"barrier", &Rewriter::barrier},
            {"call", &Rewriter::call},           {"trap", &Rewriter::trap},   {"brkpt", &Rewriter::trap},
            {"brx", &Rewriter::tableJump},
        };
        for (const Special& row : kSpecial)
            if (row.name == name) return (this->*row.ask)(said, operands, guard);
        const bool known = among(kHarmless, name);
        // The address of a parameter would lie in none of the known ranges.
        const bool parameter = name == "cvta" && opcode.find(".param") != std::string_view::npos;
        if (!known || parameter || operands.find('[') != std::string_view::npos) refuse("uses " + shown_);
        if (name == "bra") branch(operands);
        return {};
    }

    /// Checks brx.idx INDEX, TABLE: past the end of a table the thread would jump anywhere.
    std::string tableJump(const std::vector<std::string_view>&, std::string_view operands, const std::string& guard) {
        const std::vector<std::string_view> said = partsOf(operands, ',');
        const auto table = said.size() < 2 ? tables_.end() : tables_.find(std::string(said[1]));
        if (table == tables_.end()) refuse("jumps by a table that does not stand before it");
        return "\tsetp.ne.u32 %gravlab_yes, 0, 0;\n\t" + guard + "setp.ge.u32 %gravlab_yes, " + std::string(said[0]) + ", " +
               std::to_string(table->second) + ";\n" + found(Kind::jump, "@%gravlab_yes ", line_);
    }

    std::string access(const Touching& row, const std::vector<std::string_view>& said, std::string_view operands,
                       const std::string& guard) {
        Space space = Space::generic;
        unsigned bytes = row.bytes, vector = 1, types = 0;
        for (std::size_t i = 1; i < said.size(); ++i) {
            const std::string_view word = said[i];
            const auto where = std::ranges::find(kSpaces, word, &SpaceWord::name);
            const auto type = std::ranges::find(kTypes, word, &Type::name);
            if (where != std::end(kSpaces)) {
                space = where->space;
            } else if (type != std::end(kTypes)) {
                bytes = type->bytes;
                ++types;
            } else if (word == "v2" || word == "v4" || word == "v8") {
                vector = static_cast<unsigned>(word[1] - '0');
            } else if (!word.starts_with("L1::") && !word.starts_with("L2::") && !among(kWords, word)) {
                refuse("uses " + shown_);
            }
        }
        if (types != (row.bytes == 0 ? 1u : 0u)) refuse("uses " + shown_);
        const std::vector<std::string_view> addresses = bracketed(operands);
        if (addresses.size() != 1) refuse("uses " + shown_);
        if (space == Space::parameter) {
            if (registerBytes(baseOf(addresses.front())) > 0) refuse("uses " + shown_ + " at an address in a register");
            return {};
        }
        bytes *= vector;
        ++accesses_;
        return addressed(addresses.front(), space) + question(space, guard, {bytes, bytes, row.verb, line_}, {});
    }

    /// Checks cp.async.ca.shared.global [to], [from], 16, bytes that are read.
    std::string asynchronousCopy(const std::vector<std::string_view>& said, std::string_view operands,
                                 const std::string& guard) {
        const auto word = [&](std::size_t i) { return i < said.size() ? said[i] : std::string_view(); };
        if (word(1) == "async" && (word(2) == "commit_group" || word(2) == "wait_group" || word(2) == "wait_all")) return {};
        const std::vector<std::string_view> addresses = bracketed(operands), all = partsOf(operands, ',');
        const std::optional<unsigned> size = all.size() > 2 ? whole<unsigned>(all[2]) : std::nullopt;
        const bool spaces = (word(3) == "shared" || word(3) == "shared::cta") && word(4) == "global";
        const bool rest = std::all_of(said.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, said.size())),
                                      said.end(), [](std::string_view w) { return w.starts_with("L2::"); });
        if (word(1) != "async" || (word(2) != "ca" && word(2) != "cg") || !spaces || !rest || addresses.size() != 2 ||
            !size || (*size != 4 && *size != 8 && *size != 16) || all.size() > 4)
            refuse("uses " + shown_);
        unsigned read = *size;
        std::string count;
        if (all.size() == 4) {
            const std::optional<unsigned> given = whole<unsigned>(all[3]);
            if (!given && registerBytes(all[3]) != 4) refuse("uses " + shown_);
            read = given ? std::min(*given, *size) : 0;
            if (!given) count = std::string(all[3]);
        }
        accesses_ += 2;
        return addressed(addresses[0], Space::shared) +
               question(Space::shared, guard, {*size, *size, Verb::stores, line_}, {}) +
               addressed(addresses[1], Space::global) +
               question(Space::global, guard, {read, *size, Verb::reads, line_}, count);
    }

    /// Checks a barrier: an invalid number of a barrier, or of its threads, stops the device, too.
    std::string barrier(const std::vector<std::string_view>& said, std::string_view operands, const std::string&) {
        const auto has = [&](std::string_view word) { return std::ranges::find(said, word) != said.end(); };
        if (has("warp")) return {};
        if (has("cluster")) refuse("uses " + shown_);
        const std::vector<std::string_view> all = partsOf(operands, ',');
        const std::size_t first = has("red") ? 1 : 0;
        const std::optional<unsigned> which = first < all.size() ? whole<unsigned>(all[first]) : std::nullopt;
        // The form that reduces has a predicate as its last operand.
        const bool counted = all.size() > first + (has("red") ? 2 : 1);
        const std::optional<unsigned> threads = counted ? whole<unsigned>(all[first + 1]) : std::optional<unsigned>(32);
        const unsigned block = (static_cast<unsigned>(launch_.block) + 31) / 32 * 32;
        if (!which || *which > 15 || !threads || *threads == 0 || *threads % 32 != 0 || *threads > block)
            refuse("uses " + shown_ + " with '" + printable(operands) + "'");
        return {};
    }

    std::string call(const std::vector<std::string_view>&, std::string_view operands, const std::string& guard) {
        // call (result), name, (parameters)
        if (operands.starts_with('(')) {
            operands = trimmed(operands.substr(std::min(operands.find(')') + 1, operands.size())));
            if (operands.starts_with(',')) operands = trimmed(operands.substr(1));
        }
        const std::string name(trimmed(operands.substr(0, operands.find(','))));
        if (name == "__assertfail") return found(Kind::assertion, guard, line_);
        if (registerBytes(name) > 0) refuse("calls through a pointer");
        calls_.push_back({function_, name, line_});
        return {};
    }
    std::string trap(const std::vector<std::string_view>&, std::string_view, const std::string& guard) {
        return found(Kind::trap, guard, line_);
    }

    std::vector<std::string_view> bracketed(std::string_view operands) const {
        std::vector<std::string_view> all;
        while (true) {
            const std::size_t open = operands.find('['), close = operands.find(']', std::min(open, operands.size()));
            if (open == std::string_view::npos || close == std::string_view::npos) return all;
            all.push_back(trimmed(operands.substr(open + 1, close - open - 1)));
            operands.remove_prefix(close + 1);
        }
    }
    std::string_view baseOf(std::string_view address) const {
        return trimmed(address.substr(0, address.find_first_of("+-", 1)));
    }

    /// Text that writes base+offset into the register of the checks.
    std::string addressed(std::string_view address, Space space) const {
        const std::string_view base = baseOf(address);
        std::int64_t offset = 0;
        std::string_view rest =
            trimmed(address.substr(static_cast<std::size_t>(base.data() - address.data()) + base.size()));
        if (!rest.empty()) {
            // "+16", "+-16" and "-16".
            bool negative = false;
            for (; !rest.empty() && (rest.front() == '+' || rest.front() == '-'); rest = trimmed(rest.substr(1)))
                negative = negative != (rest.front() == '-');
            const std::optional<std::int64_t> value = whole<std::int64_t>(rest);
            if (!value) refuse("uses " + shown_ + " at '" + printable(address) + "'");
            offset = negative ? -*value : *value;
        }
        const std::string plain(base);
        if (const unsigned bytes = registerBytes(base); bytes == 4 || bytes == 8) return fromRegister(plain, bytes, offset);
        if (symbols_.contains(plain) && space != Space::generic) return fromSymbol(plain, offset);
        if (const std::optional<std::uint64_t> number = whole<std::uint64_t>(base); number)
            return fromSymbol(std::to_string(*number), offset);
        refuse("uses " + shown_ + " at '" + printable(address) + "'");
    }

    /// Refuses recursion, whose stack has no known size, and calls of functions outside the text, which cannot be checked.
    void expectNoCircle() const {
        std::map<std::string, std::set<std::string>> reached;
        for (const Call& one : calls_) {
            if (std::ranges::find(functions_, one.to) == functions_.end())
                throw Refused{"calls '" + printable(one.to) + "', which is not in the text", one.line};
            reached[one.from].insert(one.to);
        }
        for (bool more = true; more;) {
            more = false;
            for (auto& [from, to] : reached)
                for (const std::string& middle : std::set<std::string>(to))
                    if (const auto next = reached.find(middle); next != reached.end())
                        for (const std::string& name : next->second) more = to.insert(name).second || more;
        }
        for (const Call& one : calls_)
            if (reached[one.from].contains(one.from)) throw Refused{"has a function that calls itself", one.line};
    }

    /// "tile" of "_ZZ5forceE4tile".
    static std::string lastName(const std::string& mangled) {
        std::string best = mangled;
        if (!mangled.starts_with("_Z")) return best;
        for (std::size_t at = 0; at < mangled.size(); ++at) {
            if (!std::isdigit(static_cast<unsigned char>(mangled[at]))) continue;
            std::size_t length = 0;
            const auto [end, error] = std::from_chars(mangled.data() + at, mangled.data() + mangled.size(), length);
            const auto from = static_cast<std::size_t>(end - mangled.data());
            if (error != std::errc() || length == 0 || from + length > mangled.size()) continue;
            best = mangled.substr(from, length);
            at = from + length - 1;
        }
        return best;
    }

    struct Register {
        unsigned bytes = 0;
        bool many = false;  ///< a family: %r0, %r1, ...
    };
    struct Call {
        std::string from, to;
        int line;
    };
    const CheckedLaunch& launch_;
    const std::string clean_;
    std::string_view left_;
    std::string textFile_ = "1";
    std::string head_, out_, tail_, shown_;
    std::vector<Variable> variables_;
    std::set<std::string> symbols_;
    std::vector<std::string> functions_;
    std::vector<Call> calls_;
    bool entry_ = false;
    int accesses_ = 0, line_ = 0;
    // State of the present function:
    std::string function_, hoisted_;
    std::vector<Piece> pieces_;
    std::vector<std::map<std::string, Register>> scopes_;
    std::map<std::string, std::vector<std::size_t>> labels_;  ///< indices in pieces_
    std::map<std::string, std::size_t> tables_;               ///< tables of jumps, and their numbers of entries
    std::string lastLabel_;
    std::map<std::size_t, int> heads_;  ///< heads of loops, and their lines
    std::vector<std::string> stack_;    ///< its arrays in local memory
};

}  // namespace

CheckedCode checkedAddresses(std::string_view ptx, const CheckedLaunch& launch) {
    try {
        return Rewriter(ptx, launch).all();
    } catch (const Refused& refused) {
        CheckedCode code;
        code.refusal = refused.why;
        code.line = refused.line;
        return code;
    }
}

}  // namespace gravlab
