// Finds bad addresses of a user's kernel by software: it adds a check before each access to the kernel's PTX, the functions
// that the checks call, and the report. Without checks a bad address stops the device, and with it the drawing of all
// programs. Rule: text to text, needs no CUDA header; an unknown instruction is refused, never passed unchecked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// An array of a text.
struct CheckedArray {
    std::string name;
    std::size_t bytes = 0;
    bool operator==(const CheckedArray&) const = default;
};
/// All arrays of a text, by their spaces. Those in global memory may be read and written.
struct CheckedArrays {
    std::vector<CheckedArray> global, shared, constant;
};

/// Memory that a launch may read and store: the host writes it to the variable of that name before the launch.
constexpr const char* kCheckedLimitsName = "gravlab_checked_limits";
struct CheckedLimits {
    std::uint64_t bodies = 0, bodiesBytes = 0;                ///< read only
    std::uint64_t accelerations = 0, accelerationsBytes = 0;  ///< may also be read
    std::uint64_t turns = 0;                                  ///< most iterations of the loops of one thread
    std::uint64_t stackBytes = 0;                             ///< local memory of a thread
    std::uint64_t stackEnd = 0;                               ///< written by the kernel
};
/// Iterations that no correct kernel needs.
std::uint64_t checkedTurns(std::size_t bodies, int bodiesPerThread);

/// Report of the first bad thread, in the variable of that name: the host clears it before the launch and reads it then.
constexpr const char* kCheckedReportName = "gravlab_checked_report";
struct CheckedReport {
    std::uint32_t kind = 0, unused = 0;  ///< 0: nothing was found
    std::uint64_t address = 0;           ///< in shared and constant memory: bytes behind the begin of array `which`
    std::uint64_t what = 0;              ///< bytes, alignment, verb and line, as in the check
    std::uint64_t which = 0;
    std::uint32_t blockX = 0, blockY = 0, thread = 0, unusedToo = 0;
};
static_assert(sizeof(CheckedLimits) == 56 && sizeof(CheckedReport) == 48, "the kernel writes at these places");

/// What a kernel did that ended its trial.
enum class OwnFault {
    none,
    address,  ///< it read or wrote outside of its memory, or at an address that is not aligned
    endless,  ///< a loop or the whole kernel did not end
    trap,     ///< it ended itself
};

/// A finding: "reads 16 bytes at bodies[70000], 1021 bodies are there (block 3, thread 12)".
struct CheckedFinding {
    int line = 0;  ///< line of the text; 0: not known
    std::string text{};
    OwnFault fault = OwnFault::none;
};
CheckedFinding checkedFinding(const CheckedReport& report, const CheckedLimits& limits, const CheckedArrays& arrays,
                              std::size_t bodies);

/// Facts of a text that are known before it is compiled.
struct CheckedLaunch {
    int block = 128;            ///< threads of a block
    std::size_t shared = 0;     ///< dynamic shared memory of a block [bytes]
    std::string file = "text";  ///< file name of the compilation: lines with that name are lines of the text
};

struct CheckedCode {
    std::string ptx;      ///< empty: refused
    std::string refusal;  ///< why the text cannot be checked
    int line = 0;         ///< line of the refusal in the text; 0: not known
    CheckedArrays arrays;
    int accesses = 0;  ///< checked accesses
};

/// PTX with a check before each access, a bound on the iterations of its loops, and the two variables above. A thread ends
/// before it would do something that stops the device, and a report states what it was.
CheckedCode checkedAddresses(std::string_view ptx, const CheckedLaunch& launch);

}  // namespace gravlab

namespace gravlab::asking {

enum class Space { generic, global, shared, local, constant, parameter };
enum class Verb : unsigned { reads, stores, changes };
/// Kinds of reports, as the numbers that the kernel writes.
enum class Kind : std::uint32_t { nothing, global, shared, constant, local, misaligned, trap, assertion, endless, jump };

/// Check of one access: its bytes, and the alignment of its address.
struct Question {
    unsigned bytes = 0, aligned = 0;
    Verb verb = Verb::reads;
    int line = 0;
};

std::string declarations();                   ///< before everything else of the module
std::string functions(const CheckedArrays&);  ///< after everything else
std::string registers();                      ///< at the begin of each function
std::string functionPrologue();               ///< before its first instruction
/// Text before the first instruction of an entry. `stack`: its arrays in local memory.
std::string entryPrologue(const std::vector<std::string>& stack);
/// Text that sets the register of the checks to the address of the access.
std::string fromRegister(const std::string& name, unsigned bytes, std::int64_t offset);
std::string fromSymbol(const std::string& name, std::int64_t offset);
/// Text that checks the access. `guard`: "@%p1 " or nothing; `count`: a register that adds to the bytes, or nothing.
std::string question(Space space, const std::string& guard, const Question& access, const std::string& count);
/// Text that reports `kind` and ends the thread.
std::string found(Kind kind, const std::string& guard, int line);
/// Text that counts an iteration of a loop.
std::string turn(int line);

}  // namespace gravlab::asking
