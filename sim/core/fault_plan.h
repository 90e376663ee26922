// Which calls fail, and when: the text of GRAVLAB_FAULT, for the tables of calls that tests make fail. Rule: each table
// takes the items that begin with its prefix and refuses a function that it does not have.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// "FUNCTION:NTH:CODE" makes the NTH call from now return CODE; "FUNCTION:NTH+:CODE" also makes all later calls fail. Commas
/// separate items.
class FaultPlan {
public:
    FaultPlan() = default;
    /// The items of `plan` whose function begins with `prefix`. Throws UsageError for a malformed item, for a function of
    /// this prefix that `functions` lacks, and for a prefix that no table has.
    FaultPlan(std::string_view plan, std::string_view prefix, std::span<const std::string_view> functions);

    /// Counts a call of `functions[function]` and gives the code that it returns; 0: the call succeeds.
    int call(std::size_t function);

private:
    struct Fault {
        std::size_t function = 0;
        std::int64_t first = 1;  ///< call number, counted since the plan was made
        bool lasting = false;
        int code = 0;
        std::int64_t seen = 0;
    };
    std::vector<Fault> faults_;
};

}  // namespace gravlab
