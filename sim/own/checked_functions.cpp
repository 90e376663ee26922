#include "sim/own/checked_functions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gravlab::asking {
namespace {

// Bits of a check in one number: bytes, alignment - 1, verb, line.
constexpr unsigned kAlignedAt = 8, kVerbAt = 16, kLineAt = 32;

std::uint64_t packed(const Question& access) {
    return access.bytes | std::uint64_t{access.aligned - 1} << kAlignedAt |
           std::uint64_t{static_cast<unsigned>(access.verb)} << kVerbAt |
           std::uint64_t{static_cast<std::uint32_t>(access.line)} << kLineAt;
}

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string number(Kind kind) { return std::to_string(static_cast<std::uint32_t>(kind)); }
std::string at(const char* name, std::size_t offset) { return std::string("[") + name + "+" + std::to_string(offset) + "]"; }

struct Answer {
    Space space;
    const char* function;
    Kind kind;
};
constexpr Answer kAnswers[] = {
    {Space::generic, "gravlab_checked_generic", Kind::global}, {Space::global, "gravlab_checked_global", Kind::global},
    {Space::shared, "gravlab_checked_shared", Kind::shared},   {Space::constant, "gravlab_checked_constant", Kind::constant},
    {Space::local, "gravlab_checked_local", Kind::local},
};
const Answer& answerOf(Space space) { return *std::ranges::find(kAnswers, space, &Answer::space); }

constexpr const char* kParameters = "(.param .b64 gravlab_address, .param .b64 gravlab_what)";
constexpr const char* kFound =
    ".func gravlab_checked_found(.param .b64 gravlab_address, .param .b64 gravlab_what, .param .b64 gravlab_kind, "
    ".param .b64 gravlab_which)";

/// A call of found() with these operands.
std::string foundCall(const std::string& guard, const std::string& address, const std::string& what, const std::string& kind,
                      const std::string& which) {
    std::string text = "\t{\n";
    int i = 0;
    for (const std::string& operand : {address, what, kind, which}) {
        const std::string name = "gravlab_p" + std::to_string(i++);
        text += "\t.param .b64 " + name + ";\n\tst.param.b64 [" + name + "], " + operand + ";\n";
    }
    return text + "\t" + guard + "call gravlab_checked_found, (gravlab_p0, gravlab_p1, gravlab_p2, gravlab_p3);\n\t}\n";
}

/// The only exit, where the threads of a warp converge before a barrier of the text.
constexpr const char* kDone = "gravlab_done:\n\tret;\n}\n";

/// Done when the address is in the range that begins at %g_begin and has %g_size bytes. No sum can overflow here.
constexpr const char* kInRange =
    "\tsub.u64 %g_offset, %g_a, %g_begin;\n"
    "\tsetp.lt.u64 %g_yes, %g_offset, %g_size;\n"
    "\tsub.u64 %g_room, %g_size, %g_offset;\n"
    "\tsetp.ge.and.u64 %g_yes, %g_room, %g_bytes, %g_yes;\n"
    "\t@%g_yes bra gravlab_done;\n";

/// The begin of all checks: an access of no bytes passes, and an access that is not aligned fails.
std::string begun(const Answer& row) {
    return std::string(".func ") + row.function + kParameters +
           "\n{\n"
           "\t.reg .pred %g_yes;\n"
           "\t.reg .b64 %g_a, %g_w, %g_bytes, %g_mask, %g_begin, %g_size, %g_offset, %g_room, %g_best, %g_which;\n"
           "\tld.param.b64 %g_a, [gravlab_address];\n"
           "\tld.param.b64 %g_w, [gravlab_what];\n"
           "\tand.b64 %g_bytes, %g_w, 255;\n"
           "\tsetp.eq.u64 %g_yes, %g_bytes, 0;\n"
           "\t@%g_yes bra gravlab_done;\n"
           "\tshr.u64 %g_mask, %g_w, " +
           number(kAlignedAt) +
           ";\n"
           "\tand.b64 %g_mask, %g_mask, 255;\n"
           "\tand.b64 %g_mask, %g_mask, %g_a;\n"
           "\tsetp.eq.u64 %g_yes, %g_mask, 0;\n"
           "\t@%g_yes bra gravlab_aligned;\n" +
           foundCall("", "%g_a", "%g_w", number(Kind::misaligned), "0") + "gravlab_aligned:\n";
}

std::string globalAnswer(const std::vector<CheckedArray>& arrays) {
    const Answer& row = answerOf(Space::global);
    std::string text = begun(row) + "\tshr.u64 %g_mask, %g_w, " + number(kVerbAt) +
                       ";\n"
                       "\tand.b64 %g_mask, %g_mask, 255;\n"
                       "\tsetp.ne.u64 %g_yes, %g_mask, 0;\n"
                       "\t@%g_yes bra gravlab_stores;\n"
                       "\tld.global.b64 %g_begin, " +
                       at(kCheckedLimitsName, offsetof(CheckedLimits, bodies)) +
                       ";\n"
                       "\tld.global.b64 %g_size, " +
                       at(kCheckedLimitsName, offsetof(CheckedLimits, bodiesBytes)) + ";\n" + kInRange +
                       "gravlab_stores:\n"
                       "\tld.global.b64 %g_begin, " +
                       at(kCheckedLimitsName, offsetof(CheckedLimits, accelerations)) +
                       ";\n"
                       "\tld.global.b64 %g_size, " +
                       at(kCheckedLimitsName, offsetof(CheckedLimits, accelerationsBytes)) + ";\n" + kInRange;
    for (const CheckedArray& array : arrays)
        text += "\tmov.u64 %g_begin, " + array.name + ";\n\tmov.u64 %g_size, " + number(array.bytes) + ";\n" + kInRange;
    return text + foundCall("", "%g_a", "%g_w", number(row.kind), "0") + kDone;
}

/// The check of a space with only the arrays of the module. The report names the array before the address.
std::string arraysAnswer(Space space, const std::vector<CheckedArray>& arrays) {
    const Answer& row = answerOf(space);
    std::string text = begun(row) + "\tmov.u64 %g_best, 0;\n\tmov.u64 %g_which, " + number(arrays.size()) + ";\n";
    for (std::size_t i = 0; i < arrays.size(); ++i)
        text += "\tmov.u64 %g_begin, " + arrays[i].name + ";\n\tmov.u64 %g_size, " + number(arrays[i].bytes) + ";\n" +
                kInRange +
                "\tsetp.ge.u64 %g_yes, %g_a, %g_begin;\n"
                "\tsetp.ge.and.u64 %g_yes, %g_begin, %g_best, %g_yes;\n"
                "\tselp.b64 %g_best, %g_begin, %g_best, %g_yes;\n"
                "\tselp.b64 %g_which, " +
                number(i) + ", %g_which, %g_yes;\n";
    return text + "\tsub.u64 %g_offset, %g_a, %g_best;\n" +
           foundCall("", "%g_offset", "%g_w", number(row.kind), "%g_which") + kDone;
}

std::string localAnswer() {
    const Answer& row = answerOf(Space::local);
    // All memory below the end of the stack belongs to the thread.
    return begun(row) + "\tmov.u64 %g_begin, 0;\n\tld.global.b64 %g_size, " +
           at(kCheckedLimitsName, offsetof(CheckedLimits, stackEnd)) + ";\n" + kInRange +
           foundCall("", "%g_a", "%g_w", number(row.kind), "0") + kDone;
}

std::string handedOn(Space space) {
    return std::string(
               "\t{\n\t.param .b64 gravlab_p0;\n\tst.param.b64 [gravlab_p0], %g_a;\n"
               "\t.param .b64 gravlab_p1;\n\tst.param.b64 [gravlab_p1], %g_w;\n\tcall ") +
           answerOf(space).function + ", (gravlab_p0, gravlab_p1);\n\t}\n\tbra gravlab_done;\n";
}

std::string genericAnswer() {
    struct Window {
        Space space;
        const char* name;
    };
    constexpr Window kWindows[] = {{Space::shared, "shared"}, {Space::local, "local"}, {Space::constant, "const"}};
    std::string text = std::string(".func ") + answerOf(Space::generic).function + kParameters +
                       "\n{\n"
                       "\t.reg .pred %g_yes;\n"
                       "\t.reg .b64 %g_a, %g_w;\n"
                       "\tld.param.b64 %g_a, [gravlab_address];\n"
                       "\tld.param.b64 %g_w, [gravlab_what];\n";
    for (const Window& window : kWindows)
        text += std::string("\tisspacep.") + window.name + " %g_yes, %g_a;\n\t@!%g_yes bra gravlab_not_" + window.name +
                ";\n\tcvta.to." + window.name + ".u64 %g_a, %g_a;\n" + handedOn(window.space) + "gravlab_not_" +
                window.name + ":\n";
    return text + handedOn(Space::global) + kDone;
}

}  // namespace

std::string declarations() {
    std::string text;
    for (const auto& [name, bytes] :
         {std::pair{kCheckedLimitsName, sizeof(CheckedLimits)}, std::pair{kCheckedReportName, sizeof(CheckedReport)}})
        text += std::string(".visible .global .align 8 .b8 ") + name + "[" + std::to_string(bytes) + "];\n";
    text += std::string(kFound) + ";\n";
    for (const Answer& row : kAnswers) text += std::string(".func ") + row.function + kParameters + ";\n";
    return text;
}

std::string functions(const CheckedArrays& made) {
    const auto into = [](const char* from, const char* as, const char* type, std::size_t offset) {
        return std::string("\tmov.") + type + " " + as + ", " + from + ";\n\tst.global." + type + " " +
               at(kCheckedReportName, offset) + ", " + as + ";\n";
    };
    // Only the first bad thread writes the report, which the host reads after the launch.
    const std::string found = std::string(kFound) +
                              "\n{\n"
                              "\t.reg .pred %g_late;\n"
                              "\t.reg .b32 %g_kind, %g_old;\n"
                              "\t.reg .b64 %g_v;\n"
                              "\tld.param.b64 %g_v, [gravlab_kind];\n"
                              "\tcvt.u32.u64 %g_kind, %g_v;\n"
                              "\tatom.global.cas.b32 %g_old, " +
                              at(kCheckedReportName, offsetof(CheckedReport, kind)) +
                              ", 0, %g_kind;\n"
                              "\tsetp.ne.u32 %g_late, %g_old, 0;\n"
                              "\t@%g_late exit;\n"
                              "\tld.param.b64 %g_v, [gravlab_address];\n"
                              "\tst.global.b64 " +
                              at(kCheckedReportName, offsetof(CheckedReport, address)) +
                              ", %g_v;\n"
                              "\tld.param.b64 %g_v, [gravlab_what];\n"
                              "\tst.global.b64 " +
                              at(kCheckedReportName, offsetof(CheckedReport, what)) +
                              ", %g_v;\n"
                              "\tld.param.b64 %g_v, [gravlab_which];\n"
                              "\tst.global.b64 " +
                              at(kCheckedReportName, offsetof(CheckedReport, which)) + ", %g_v;\n" +
                              into("%ctaid.x", "%g_old", "u32", offsetof(CheckedReport, blockX)) +
                              into("%ctaid.y", "%g_old", "u32", offsetof(CheckedReport, blockY)) +
                              into("%tid.x", "%g_old", "u32", offsetof(CheckedReport, thread)) + "\texit;\n}\n";
    return found + globalAnswer(made.global) + arraysAnswer(Space::shared, made.shared) +
           arraysAnswer(Space::constant, made.constant) + localAnswer() + genericAnswer();
}

std::string registers() {
    return "\t.reg .pred %gravlab_yes;\n"
           "\t.reg .b32 %gravlab_low;\n"
           "\t.reg .b64 %gravlab_address, %gravlab_what, %gravlab_turns, %gravlab_most;\n";
}

std::string functionPrologue() {
    return "\tmov.u64 %gravlab_turns, 0;\n\tld.global.b64 %gravlab_most, " +
           at(kCheckedLimitsName, offsetof(CheckedLimits, turns)) + ";\n";
}

std::string entryPrologue(const std::vector<std::string>& stack) {
    // After a report no further thread begins.
    std::string text = "\tld.volatile.global.u32 %gravlab_low, " + at(kCheckedReportName, offsetof(CheckedReport, kind)) +
                       ";\n\tsetp.ne.u32 %gravlab_yes, %gravlab_low, 0;\n\t@%gravlab_yes exit;\n";
    if (stack.empty()) return text;
    // The arrays of an entry lie at the upper end of a stack that grows down: no end of an array is further from the lowest
    // begin than the length of all arrays.
    text += "\tmov.u64 %gravlab_what, -1;\n";
    for (const std::string& name : stack)
        text += "\tmov.u64 %gravlab_address, " + name + ";\n\tmin.u64 %gravlab_what, %gravlab_what, %gravlab_address;\n";
    return text + "\tld.global.b64 %gravlab_address, " + at(kCheckedLimitsName, offsetof(CheckedLimits, stackBytes)) +
           ";\n\tadd.u64 %gravlab_what, %gravlab_what, %gravlab_address;\n\tst.global.b64 " +
           at(kCheckedLimitsName, offsetof(CheckedLimits, stackEnd)) + ", %gravlab_what;\n";
}

std::string fromRegister(const std::string& name, unsigned bytes, std::int64_t offset) {
    const std::string added = ", " + std::to_string(offset) + ";\n";
    if (bytes == 8) return "\tadd.s64 %gravlab_address, " + name + added;
    return "\tadd.s32 %gravlab_low, " + name + added + "\tcvt.u64.u32 %gravlab_address, %gravlab_low;\n";
}

std::string fromSymbol(const std::string& name, std::int64_t offset) {
    return "\tmov.u64 %gravlab_address, " + name + ";\n\tadd.s64 %gravlab_address, %gravlab_address, " +
           std::to_string(offset) + ";\n";
}

std::string question(Space space, const std::string& guard, const Question& access, const std::string& count) {
    std::string text, what = number(packed(access));
    if (!count.empty()) {
        // The access reads at most its alignment.
        text = "\tmin.u32 %gravlab_low, " + count + ", " + number(access.aligned) +
               ";\n\tcvt.u64.u32 %gravlab_what, %gravlab_low;\n\tor.b64 %gravlab_what, %gravlab_what, " + what + ";\n";
        what = "%gravlab_what";
    }
    return text + "\t{\n\t.param .b64 gravlab_p0;\n\tst.param.b64 [gravlab_p0], %gravlab_address;\n" +
           "\t.param .b64 gravlab_p1;\n\tst.param.b64 [gravlab_p1], " + what + ";\n\t" + guard + "call " +
           answerOf(space).function + ", (gravlab_p0, gravlab_p1);\n\t}\n";
}

std::string found(Kind kind, const std::string& guard, int line) {
    return foundCall(guard, "0", number(packed({.aligned = 1, .line = line})), number(kind), "0");
}

std::string turn(int line) {
    return "\tadd.u64 %gravlab_turns, %gravlab_turns, 1;\n\tsetp.gt.u64 %gravlab_yes, %gravlab_turns, %gravlab_most;\n" +
           found(Kind::endless, "@%gravlab_yes ", line);
}

}  // namespace gravlab::asking

namespace gravlab {

using namespace asking;

std::uint64_t checkedTurns(std::size_t bodies, int bodiesPerThread) {
    // A thread sums all sources once for each of its bodies; 64 times that number leaves room for inner loops.
    return 64 * static_cast<std::uint64_t>(bodies) * static_cast<std::uint64_t>(bodiesPerThread) + 65536;
}

namespace {

constexpr std::uint64_t kBodyBytes = 16;

std::string bytesText(std::uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

/// "bodies[70000].y"; empty where the address is too far from an array that begins there.
std::string elementOf(const char* name, std::uint64_t begin, std::uint64_t address, std::uint64_t bytes) {
    const auto away = static_cast<std::int64_t>(address - begin);
    // An index of type int can reach this far [bytes].
    constexpr std::int64_t kFar = std::int64_t{1} << 36;
    if (away < -kFar || away > kFar) return {};
    const auto size = static_cast<std::int64_t>(kBodyBytes);
    const std::int64_t index = away >= 0 ? away / size : -((-away + size - 1) / size), rest = away - index * size;
    std::string text = std::string(name) + "[" + std::to_string(index) + "]";
    if (bytes == 4 && rest % 4 == 0) return text + "." + "xyzw"[rest / 4];
    return rest == 0 ? text : text + " and " + bytesText(static_cast<std::uint64_t>(rest));
}

std::string hexadecimal(std::uint64_t address) {
    std::string text;
    do text.insert(text.begin(), "0123456789abcdef"[address % 16]);
    while ((address /= 16) > 0);
    return "0x" + text;
}

struct Found {
    const CheckedReport& report;
    const CheckedLimits& limits;
    const CheckedArrays& arrays;
    std::size_t bodies;
    std::uint64_t bytes() const { return report.what & 0xff; }
    std::uint64_t aligned() const { return (report.what >> kAlignedAt & 0xff) + 1; }
    Verb verb() const { return static_cast<Verb>(std::min<std::uint64_t>(report.what >> kVerbAt & 0xff, 2)); }
    /// "reads 16 bytes".
    std::string doing() const {
        constexpr const char* kVerbs[] = {"reads ", "stores ", "changes "};
        return kVerbs[static_cast<unsigned>(verb())] + bytesText(bytes() > 0 ? bytes() : aligned());
    }
};

std::string globalText(const Found& f) {
    const std::uint64_t bodies = f.limits.bodies, accelerations = f.limits.accelerations, address = f.report.address;
    const bool inBodies = address >= bodies && address - bodies < f.limits.bodiesBytes;
    if (inBodies && f.verb() != Verb::reads)
        return f.doing() + " at " + elementOf("bodies", bodies, address, f.bytes()) + ", and bodies are only read";
    // An access a little before the begin or after the end of an array is attributed to that array.
    constexpr std::uint64_t kNear = 256 * kBodyBytes;
    const bool near = address + kNear >= accelerations && address < accelerations + f.limits.accelerationsBytes + kNear;
    const bool ofBodies = f.verb() == Verb::reads && !near;
    const std::string element = ofBodies ? elementOf("bodies", bodies, address, f.bytes())
                                         : elementOf("accelerations", accelerations, address, f.bytes());
    if (element.empty()) return f.doing() + " at address " + hexadecimal(address) + ", where nothing is";
    return f.doing() + " at " + element + ", " + std::to_string(f.bodies) +
           (ofBodies ? (f.bodies == 1 ? " body is there" : " bodies are there")
                     : (f.bodies == 1 ? " acceleration is there" : " accelerations are there"));
}

std::string arraysText(const Found& f, const std::vector<CheckedArray>& arrays, const char* space) {
    if (f.report.which >= arrays.size()) return f.doing() + " of " + space + " memory where no array is";
    const CheckedArray& array = arrays[f.report.which];
    return f.doing() + " at byte " + std::to_string(f.report.address) + " of " + array.name + ", which has " +
           bytesText(array.bytes) + " of " + space + " memory";
}
std::string sharedText(const Found& f) { return arraysText(f, f.arrays.shared, "shared"); }
std::string constantText(const Found& f) { return arraysText(f, f.arrays.constant, "constant"); }
std::string localText(const Found& f) { return f.doing() + " outside of its own arrays (local memory)"; }
std::string misalignedText(const Found& f) {
    return f.doing() + " at address " + hexadecimal(f.report.address) + ", which is no multiple of " +
           std::to_string(f.aligned());
}
std::string trapText(const Found&) { return "ends itself by a trap"; }
std::string assertionText(const Found&) { return "an assertion does not hold"; }
std::string endlessText(const Found& f) {
    return "a thread goes round loops more than " + std::to_string(f.limits.turns) + " times with " +
           std::to_string(f.bodies) + " bodies: does a loop never end?";
}

std::string jumpText(const Found&) { return "jumps by an index behind the end of its table"; }

struct Text {
    Kind kind;
    std::string (*text)(const Found&);
    OwnFault fault = OwnFault::address;
};
constexpr Text kTexts[] = {
    {Kind::global, globalText},
    {Kind::shared, sharedText},
    {Kind::constant, constantText},
    {Kind::local, localText},
    {Kind::misaligned, misalignedText},
    {Kind::trap, trapText, OwnFault::trap},
    {Kind::assertion, assertionText, OwnFault::trap},
    {Kind::endless, endlessText, OwnFault::endless},
    {Kind::jump, jumpText, OwnFault::trap},
};

}  // namespace

CheckedFinding checkedFinding(const CheckedReport& report, const CheckedLimits& limits, const CheckedArrays& arrays,
                              std::size_t bodies) {
    const Found found{report, limits, arrays, bodies};
    const auto row =
        std::ranges::find_if(kTexts, [&](const Text& text) { return static_cast<std::uint32_t>(text.kind) == report.kind; });
    const std::string where = " (block " + std::to_string(report.blockX) +
                              (report.blockY > 0 ? ", " + std::to_string(report.blockY) : std::string()) + ", thread " +
                              std::to_string(report.thread) + ")";
    return {.line = static_cast<int>(report.what >> kLineAt & 0x7fffffff),
            .text = (row == std::end(kTexts) ? "wrote over the report of its checks" : row->text(found)) + where,
            .fault = row == std::end(kTexts) ? OwnFault::address : row->fault};
}

}  // namespace gravlab
