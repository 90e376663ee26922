// Checks the layout of panels by the status file: no pixels, no fonts.
#pragma once
#include "gui_fixture.h"

#include <string>
#include <vector>

namespace gravlab::test {

struct Box {
    double left = 0, top = 0, right = 0, bottom = 0;
    bool overlaps(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    bool inside(const Box& other) const {
        constexpr double kRounding = 1;
        return left >= other.left - kRounding && top >= other.top - kRounding && right <= other.right + kRounding &&
               bottom <= other.bottom + kRounding;
    }
};

inline Box boxOf(const Json& item) {
    const Json& r = item.at("rect");
    return {r[0], r[1], r[2], r[3]};
}

/// Faults of the visible panels; empty when there are none.
inline std::vector<std::string> layoutFaults(const Json& status) {
    std::vector<std::string> faults;
    const Json& items = status.at("items");
    const Box surface{0, 0, status.at("width"), status.at("height")};
    std::vector<std::pair<std::string, Box>> panels;
    for (const auto& [name, item] : items.items())
        if (name.starts_with("panel/")) panels.emplace_back(name, boxOf(item));
    // The middle of the picture: no panel may be there unless the test opened it.
    const Box middle{0.4 * surface.right, 0.35 * surface.bottom, 0.6 * surface.right, 0.6 * surface.bottom};
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const auto& [name, box] = panels[i];
        if (!box.inside(surface)) faults.push_back(name + " leaves the window");
        if (box.overlaps(middle)) faults.push_back(name + " covers the middle of the picture");
        for (std::size_t j = i + 1; j < panels.size(); ++j)
            if (box.overlaps(panels[j].second)) faults.push_back(name + " covers " + panels[j].first);
    }
    for (const char* panel : {"panel/menu", "panel/status"})
        if (!items.contains(panel)) faults.push_back(std::string(panel) + " is missing");
    // Where there are tabs, one of the two is shown.
    const bool tabs = items.contains("controls_tab");
    const bool controls = items.contains("panel/controls"), measurements = items.contains("panel/measurements");
    if (tabs && controls == measurements) faults.push_back("there are tabs, and not one panel");
    if (!tabs && !controls) faults.push_back("panel/controls is missing");
    if (!tabs && !measurements) faults.push_back("panel/measurements is missing");
    if (!controls) return faults;
    for (const char* control : {"run", "step", "reset", "run.scene", "run.bodies", "run.bodies/exact", "run.seed",
                                "run.backend", "run.kernel", "run.time_step", "run.softening", "run.integrator"}) {
        if (!items.contains(control)) {
            faults.push_back(std::string(control) + " is missing");
            continue;
        }
        const Box box = boxOf(items.at(control)), panel = boxOf(items.at("panel/controls"));
        if (box.left < panel.left || box.right > panel.right) faults.push_back(std::string(control) + " leaves its panel");
        if (box.right - box.left < 8) faults.push_back(std::string(control) + " is too small to hit");
    }
    return faults;
}

}  // namespace gravlab::test
