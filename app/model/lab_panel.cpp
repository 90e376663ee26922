#include "app/model/lab_panel.h"

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

}  // namespace gravlab
