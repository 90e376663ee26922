// The PTX that is added to an own kernel's: what is asked before an access, the functions that answer, and what they report.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

/// An array of a text.
struct CheckedArray {
    std::string name;
    std::size_t bytes = 0;
    bool operator==(const CheckedArray&) const = default;
};
/// All of them, by their spaces. Those in global memory may be read and written.
struct CheckedArrays {
    std::vector<CheckedArray> global, shared, constant;
};

/// Where a launch may read and store: in the variable of that name, to be written before.
constexpr const char* kCheckedLimitsName = "gravlab_checked_limits";
struct CheckedLimits {
    std::uint64_t bodies = 0, bodiesBytes = 0;                ///< read only
    std::uint64_t accelerations = 0, accelerationsBytes = 0;  ///< may be read, too
    std::uint64_t turns = 0;                                  ///< of the loops of one thread
    std::uint64_t stackBytes = 0;                             ///< local memory of a thread
    std::uint64_t stackEnd = 0;                               ///< written by the kernel
};
/// Turns that no honest kernel needs.
std::uint64_t checkedTurns(std::size_t bodies, int bodiesPerThread);

/// What the first bad thread wanted: in the variable of that name, to be filled with 0 before and read afterwards.
constexpr const char* kCheckedReportName = "gravlab_checked_report";
struct CheckedReport {
    std::uint32_t kind = 0, unused = 0;  ///< 0: nothing was found
    std::uint64_t address = 0;           ///< in shared and constant memory: bytes behind the begin of array `which`
    std::uint64_t what = 0;              ///< bytes, alignment, verb and line, as the question had them
    std::uint64_t which = 0;
    std::uint32_t blockX = 0, blockY = 0, thread = 0, unusedToo = 0;
};
static_assert(sizeof(CheckedLimits) == 56 && sizeof(CheckedReport) == 48, "the kernel writes at these places");

/// What was found: "reads 16 bytes at bodies[70000], 1021 bodies are there (block 3, thread 12)".
struct CheckedFinding {
    int line = 0;  ///< of the text; 0: not known
    std::string text;
};
CheckedFinding checkedFinding(const CheckedReport& report, const CheckedLimits& limits, const CheckedArrays& arrays,
                              std::size_t bodies);

}  // namespace gravlab

namespace gravlab::asking {

enum class Space { generic, global, shared, local, constant, parameter };
enum class Verb : unsigned { reads, stores, changes };
/// What a report says, as the numbers that the kernel writes.
enum class Kind : std::uint32_t { nothing, global, shared, constant, local, misaligned, trap, assertion, endless, jump };

/// Of one access: how many bytes, at an address that is a multiple of what.
struct Question {
    unsigned bytes = 0, aligned = 0;
    Verb verb = Verb::reads;
    int line = 0;
};

std::string declarations();                   ///< before everything else of the module
std::string functions(const CheckedArrays&);  ///< behind everything else
std::string registers();                      ///< at the begin of each function
std::string functionPrologue();               ///< before its first instruction
/// Before the first of an entry. `stack`: its arrays in local memory.
std::string entryPrologue(const std::vector<std::string>& stack);
/// Our register becomes the address of the access.
std::string fromRegister(const std::string& name, unsigned bytes, std::int64_t offset);
std::string fromSymbol(const std::string& name, std::int64_t offset);
/// Asks about it. `guard`: "@%p1 " or nothing; `count`: a register that adds to the bytes, or nothing.
std::string question(Space space, const std::string& guard, const Question& asked, const std::string& count);
/// Reports that and ends the thread.
std::string found(Kind kind, const std::string& guard, int line);
/// Counts a turn of a loop.
std::string turn(int line);

}  // namespace gravlab::asking
