// Which page of the lab is shown.
#pragma once
#include <span>
#include <string_view>

namespace gravlab {

/// The pages of the lab's panel.
enum class LabPage { launch, sweep, matrix };
/// Their names, in the order of the enumeration.
std::span<const std::string_view> labPages();
/// The page of that name. Throws UsageError naming the valid ones and the nearest.
LabPage labPage(std::string_view name);

struct LabPanel {
    bool open = false;
    LabPage page = LabPage::launch;
    bool shows(LabPage which) const { return open && page == which; }
};

}  // namespace gravlab
