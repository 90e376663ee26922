// Parsing and counting of planned faults.
#include "sim/core/fault_plan.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <algorithm>
#include <string>

namespace gravlab {
namespace {

// The prefixes of all tables: skip an item of another table, refuse an item of no table.
constexpr std::string_view kPrefixes[] = {"cuda", "gl"};

[[noreturn]] void refuse(std::string_view item) {
    throw UsageError("fault plan '" + std::string(item) + "' is not FUNCTION:NTH:CODE or FUNCTION:NTH+:CODE");
}

}  // namespace

FaultPlan::FaultPlan(std::string_view plan, std::string_view prefix, std::span<const std::string_view> functions) {
    while (!plan.empty()) {
        const std::string_view item = plan.substr(0, plan.find(','));
        plan.remove_prefix(std::min(plan.size(), item.size() + 1));
        const std::size_t a = item.find(':'), b = item.rfind(':');
        if (a == std::string_view::npos || a == b) refuse(item);
        const std::string_view name = item.substr(0, a);
        const auto found = std::find(functions.begin(), functions.end(), name);
        if (found == functions.end()) {
            const bool others = std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                                            [&](std::string_view each) { return each != prefix && name.starts_with(each); });
            if (others) continue;
            throw UsageError(unknownName("function that can be made to fail", name,
                                         std::vector<std::string_view>(functions.begin(), functions.end())));
        }
        std::string_view nth = item.substr(a + 1, b - a - 1);
        Fault fault;
        fault.function = static_cast<std::size_t>(found - functions.begin());
        fault.lasting = nth.ends_with('+');
        if (fault.lasting) nth.remove_suffix(1);
        const std::optional<std::int64_t> first = numberFrom<std::int64_t>(nth);
        const std::optional<int> code = numberFrom<int>(item.substr(b + 1));
        if (!first || !code) refuse(item);
        fault.first = *first;
        fault.code = *code;
        faults_.push_back(fault);
    }
}

int FaultPlan::call(std::size_t function) {
    int code = 0;
    for (Fault& fault : faults_) {
        if (fault.function != function) continue;
        ++fault.seen;
        if (fault.seen == fault.first || (fault.lasting && fault.seen > fault.first)) code = fault.code;
    }
    return code;
}

}  // namespace gravlab
