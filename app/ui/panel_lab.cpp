// The lab's panel: between the side panels, above the status line. Each page has its own file.
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <iterator>

namespace gravlab {
namespace {

constexpr Control kCloseLab{"lab_close", "Close", "Close the lab; a running sweep ends. Key: L"};

struct PageRow {
    LabPage page;
    Control control;
    void (*draw)(PanelContext& panel);
};
constexpr PageRow kPages[] = {
    {LabPage::launch,
     {"lab_launch", "Launch", "How the hardware runs the kernel and launch in use, beside the kernel's text"},
     drawLabLaunch},
    {LabPage::sweep,
     {"lab_sweep", "Sweep",
      "Measure over block size, unroll factor, bodies or split during the run; search for the fastest launch"},
     drawLabSweep},
    {LabPage::matrix,
     {"lab_matrix", "Matrix", "The forces of all pairs as a live picture, for up to 4,096 bodies"},
     drawLabMatrix},
    {LabPage::ladder,
     {"lab_ladder", "Ladder", "Every kernel with its idea and its text, also those that cannot run here"},
     drawLabLadder},
    {LabPage::recorded,
     {"lab_recorded", "Recorded", "Curves measured on a named device, for machines without one"},
     drawLabRecorded},
    {LabPage::calculator,
     {"lab_calculator", "Calculator", "Waves, tail and occupancy of a launch on any GPU, also an absent one"},
     drawLabCalculator},
    {LabPage::memory,
     {"lab_memory", "Memory", "Latency of each memory of the device in use, reads at strides, and ways to the host"},
     drawLabMemory},
    {LabPage::own,
     {"lab_own", "Own", "Write a kernel, compile it, try it in a separate process, and let it compute the run"},
     drawLabOwn},
};

/// The buttons of the pages and the close button, in as many rows as necessary.
void drawPages(PanelContext& p, const LabPanel& shown) {
    const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x,
                wide = 72 * p.widgets.scale();
    const bool all = static_cast<float>(std::size(kPages) + 1) * (wide + gap) - gap <= room;
    const auto widthOf = [&](const Control& control) {
        return all ? wide : ImGui::CalcTextSize(control.label).x + 2 * ImGui::GetStyle().FramePadding.x;
    };
    float used = 0;
    // Whether the next button fits in the same row.
    const auto beside = [&](float width) {
        const bool fits = used > 0 && used + gap + width <= room;
        used = fits ? used + gap + width : width;
        return fits;
    };
    // Put tooltips above the row, so that they hide neither the pages nor their headings.
    const ImVec2 foot(ImGui::GetIO().MousePos.x, ImGui::GetWindowPos().y);
    for (const PageRow& row : kPages) {
        const float width = widthOf(row.control);
        if (beside(width)) ImGui::SameLine();
        if (p.widgets.litButton(row.control, width, shown.page == row.page, &foot))
            set(p, "lab.page", std::string(labPages()[static_cast<std::size_t>(row.page)]));
    }
    const float width = widthOf(kCloseLab), right = ImGui::GetWindowContentRegionMax().x - width;
    if (beside(width))
        ImGui::SameLine(right);
    else
        ImGui::SetCursorPosX(right);
    if (p.widgets.button(kCloseLab, width)) set(p, "lab.open", false);
}

}  // namespace

void drawLabPanel(PanelContext& p) {
    const LabPanel& shown = p.document.labPanel;
    if (!shown.open) return;
    const float s = p.widgets.scale();
    const float left = p.plan.left + kMargin * s, right = p.surface.x - p.plan.right - kMargin * s;
    ImGui::SetNextWindowPos(ImVec2(left, p.surface.y - (kBottomHeight + kMargin) * s), ImGuiCond_Always, ImVec2(0, 1));
    ImGui::SetNextWindowSize(ImVec2(right - left, p.plan.labHeight - kMargin * s));
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    if (const PanelWindow window(p, "lab", kFlags, 1); window) {
        drawPages(p, shown);
        for (const PageRow& row : kPages)
            if (row.page == shown.page) row.draw(p);
    }
}

}  // namespace gravlab
