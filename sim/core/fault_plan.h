// What shall fail, and when: the text of GRAVLAB_FAULT, for the tables of calls that tests make fail.
// Rule: each table takes the items that begin with its prefix and refuses a function that it does not have.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// "FUNCTION:NTH:CODE" lets the NTH call from now return CODE, "FUNCTION:NTH+:CODE" also all later ones; several by commas.
class FaultPlan {
public:
    FaultPlan() = default;
    /// The items of `plan` whose function begins with `prefix`. Throws UsageError for what is no item, for a function of
    /// that prefix that is not in `functions`, and for a prefix that no table has.
    FaultPlan(std::string_view plan, std::string_view prefix, std::span<const std::string_view> functions);

    /// A call of `functions[function]` happens: what it shall return, 0 for nothing out of the ordinary.
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
