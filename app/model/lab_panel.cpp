#include "app/model/lab_panel.h"

#include "app/model/facts.h"
#include "sim/core/error.h"
#include "sim/core/names.h"

#include <algorithm>
#include <array>

namespace gravlab {
namespace {
constexpr std::array<std::string_view, 8> kPages{"launch",   "sweep",      "matrix", "ladder",
                                                 "recorded", "calculator", "memory", "own"};
}  // namespace

std::span<const std::string_view> labPages() { return kPages; }

LabPage labPage(std::string_view name) {
    const auto found = std::find(kPages.begin(), kPages.end(), name);
    if (found == kPages.end()) throw UsageError(unknownName("page of the lab", name, {kPages.begin(), kPages.end()}));
    return static_cast<LabPage>(found - kPages.begin());
}

const KernelRow& rowOf(const Facts& facts, std::string_view term) {
    for (const TermInUse& one : facts.configuration.terms)
        if (one.term == term) return termKernel(facts.configuration.backend, term, one.kernel.kernel);
    return *facts.kernel;
}

}  // namespace gravlab
