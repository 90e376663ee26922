// The devices that divide each force, with check marks and shares. Rule: one device has no list.
#include "app/tables/format.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "sim/backends/devices.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace gravlab {

void drawDevices(PanelContext& p) {
    if (p.facts.devices.size() < 2) return;
    const BackendOptions now = p.facts.configuration.backendOptions;
    for (const DevicePart& device : p.facts.devices) {
        const std::string name = "run.device/" + std::to_string(device.index), idea = device.facts + ".",
                          label = "Device " + std::to_string(device.index),
                          work = device.share > 0 ? formatted(", %.0f %%", 100 * device.share) : "";
        const bool first = device.index == now.device;
        bool on = first || std::ranges::find(now.helpers, device.index) != now.helpers.end();
        const Reason alone = first && now.helpers.empty() ? "One device must hold the bodies." : "";
        const bool changed = p.widgets.toggle({name.c_str(), label.c_str(), Tip::ofRow(idea)}, on, alone);
        ImGui::SameLine();
        p.widgets.wrapped(device.share > 0 ? palette::kText : palette::kMuted, (device.name + work).c_str());
        if (!changed) continue;
        BackendOptions wanted = now;
        std::erase(wanted.helpers, device.index);
        if (on) wanted.helpers.push_back(device.index);
        if (!on && first) {
            // The next one holds the bodies.
            if (wanted.helpers.empty()) return;
            wanted.device = wanted.helpers.front();
            wanted.helpers.erase(wanted.helpers.begin());
        }
        set(p, "run.device", devicesText(wanted));
    }
}

}  // namespace gravlab
