// A user's own kernel: its text at the left, the result at the right; the button compiles and tries it. Rule: it compiles
// only when the button is pressed.
#include "app/bench/kernel_source.h"
#include "app/tables/format.h"
#include "app/ui/panel_input.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <span>

namespace gravlab {
namespace {

constexpr Control kBegin{"own_begin", "Begin with", "Loads an initial text into the editor; nothing is compiled"};

/// The editor's own copy of the text, which ImGui writes into.
struct Editor {
    std::string text;
    std::vector<SourceLine> lines;
    std::string below;
    int caretLine = 0;
    int wantedLine = 0;  ///< scroll to this line, from 1; 0: none
    bool active = false;

    void take(const std::string& other) {
        text = other;
        compare();
    }
    void compare() {
        below.clear();
        try {
            below = ownLaunch(text, "").from;
        } catch (const Error&) {  // an incomplete line; the trial reports the error
        }
        if (ownTemplateText(below).empty()) below.clear();
        lines = comparedLines(text, ownTemplateText(below));
        if (below.empty())
            for (SourceLine& line : lines) line.differs = false;
    }
};

int edited(ImGuiInputTextCallbackData* data) {
    auto& own = *static_cast<Editor*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
        own.text.resize(static_cast<std::size_t>(data->BufTextLen));
        data->Buf = own.text.data();
    } else {
        const int line = static_cast<int>(std::count(data->Buf, data->Buf + data->CursorPos, '\n'));
        if (line != own.caretLine) own.wantedLine = line + 1;
        own.caretLine = line;
    }
    return 0;
}

void drawEditor(PanelContext& p) {
    const OwnKernel& own = p.document.labPanel.own;
    auto& at = p.widgets.kept<Editor>();
    if (!at.active && at.text != *own.text) at.take(*own.text);
    const float s = p.widgets.scale();
    ImFont* const font = p.widgets.fonts().mono;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, IM_COL32(8, 10, 14, palette::light ? 255 : 200));
    if (ImGui::BeginChild("own editor", ImVec2(0, 0), false, ImGuiWindowFlags_HorizontalScrollbar)) {
        const Letters letters(font);
        const float high = ImGui::GetFontSize(), letter = font->CalcTextSizeA(font->FontSize, 1e6f, 0, "m").x;
        const float gutter = 5.5f * letter;
        std::size_t longest = 0;
        for (const SourceLine& line : at.lines) longest = std::max(longest, line.text.size());
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const float wide = std::max(ImGui::GetContentRegionAvail().x, gutter + letter * static_cast<float>(longest + 4));
        const float tall = std::max(ImGui::GetContentRegionAvail().y, high * static_cast<float>(at.lines.size() + 2));
        if (at.wantedLine > 0) {
            const float y = high * static_cast<float>(at.wantedLine - 1), view = ImGui::GetWindowHeight();
            if (y < ImGui::GetScrollY() || y + 2 * high > ImGui::GetScrollY() + view)
                ImGui::SetScrollY(std::max(0.f, y - 0.4f * view));
            at.wantedLine = 0;
        }
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const bool current = *own.tried == at.text;
        for (std::size_t k = 0; k < at.lines.size(); ++k) {
            const ImVec2 left(origin.x, origin.y + high * static_cast<float>(k)), right(origin.x + wide, left.y + high);
            const auto number = static_cast<int>(k) + 1;
            const auto said = std::find_if(own.messages.begin(), own.messages.end(),
                                           [&](const CompilerMessage& m) { return current && m.line == number; });
            if (said != own.messages.end()) {
                list.AddRectFilled(left, right, said->error ? IM_COL32(240, 80, 70, 70) : IM_COL32(240, 190, 70, 45));
            } else if (at.lines[k].differs) {
                list.AddRectFilled(left, right, IM_COL32(106, 176, 243, 34));
                list.AddRectFilled(left, ImVec2(left.x + 3 * s, right.y), palette::kAccent);
            }
            list.AddText(ImVec2(left.x + letter, left.y), IM_COL32(110, 116, 128, 255), formatted("%3d", number).c_str());
        }
        ImGui::SetCursorScreenPos(ImVec2(origin.x + gutter, origin.y));
        ImGui::PushStyleColor(ImGuiCol_FrameBg, IM_COL32(0, 0, 0, 0));
        ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(214, 218, 226, 255));
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
        ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
        // Ctrl Enter ends editing, as ImGui does for texts of several lines.
        const bool enter = panelKeyPressed(ImGuiKey_Enter, false) && ImGui::GetIO().KeyCtrl;
        const bool wasActive = at.active;
        const bool changed = ImGui::InputTextMultiline(
            "##own_text", at.text.data(), at.text.capacity() + 1, ImVec2(wide - gutter, tall),
            ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_AllowTabInput,
            edited, &at);
        at.active = ImGui::IsItemActive();
        if (changed) {
            at.compare();
            p.post({SetParameter{"lab.own_text", at.text, wasActive}});
        }
        if (enter && wasActive && !own.trying) invoke(p, "own-try");
        ImGui::PopStyleVar(2);
        ImGui::PopStyleColor(2);
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
}

void drawOutcome(PanelContext& p) {
    const OwnKernel& own = p.document.labPanel.own;
    if (own.trying) {
        p.widgets.wrapped(palette::kAccent, "Trying: " + own.stage);
        return;
    }
    const bool changed = own.tried != own.text;
    if (own.outcome == OwnOutcome::good) {
        const double n = static_cast<double>(own.bodies);
        p.widgets.wrapped(
            changed ? palette::kMuted : palette::kGood,
            formatted("Right: %s. A force takes %.3g ms (%s interactions/s with %zu bodies)", own.sentence.c_str(),
                      1e3 * own.secondsPerForce, withPrefix(n * n / own.secondsPerForce).text, own.bodies));
        if (p.facts.kernel->name == own.kernel)
            p.widgets.wrapped(palette::kText,
                              "It computes the run: its rate is at the right, its registers on page Launch.");
    } else if (own.outcome == OwnOutcome::badText && !own.messages.empty()) {
        constexpr std::size_t kMost = 4;  // the editor needs the height, and the first errors cause the others
        for (const CompilerMessage& message : std::span(own.messages).first(std::min(own.messages.size(), kMost))) {
            const std::string text =
                (message.line > 0 ? "line " + std::to_string(message.line) + ": " : std::string()) + message.text;
            p.widgets.wrapped(changed ? palette::kMuted : message.error ? palette::kBad : palette::kWarning, text);
            if (ImGui::IsItemClicked() && message.line > 0) p.widgets.kept<Editor>().wantedLine = message.line;
        }
    } else if (!own.sentence.empty()) {
        const bool struck = own.outcome == OwnOutcome::wrong || own.outcome == OwnOutcome::failed;
        p.widgets.wrapped(changed || !struck ? palette::kMuted : palette::kBad, (struck ? "No rate: " : "") + own.sentence);
    }
    if (changed && own.outcome != OwnOutcome::unfinished)
        p.widgets.wrapped(palette::kMuted, "The text has changed since it was tried.");
}

}  // namespace

void drawLabOwn(PanelContext& p) {
    const OwnKernel& own = p.document.labPanel.own;
    const std::string& below = p.widgets.kept<Editor>().below;
    const float s = p.widgets.scale(), gap = 6 * s;
    {
        const Letters letters(p.widgets.fonts().small);
        ImGui::AlignTextToFramePadding();
        colouredText(palette::kMuted, kBegin.label);
        ImGui::SameLine(0, gap);
        const auto begun = std::ranges::find(ownTemplates(), std::string_view(*own.text),
                                             [](const OwnTemplate& row) { return ownTemplateText(row.name); });
        const std::string_view shown = own.text->empty()               ? "a text of the list"
                                       : begun != ownTemplates().end() ? begun->name
                                       : below.empty()                 ? "your own text"
                                                                       : below;
        if (p.widgets.beginCombo(kBegin, shown, {}, 150 * s)) {
            for (const OwnTemplate& row : ownTemplates())
                if (p.widgets.choice(row.name, row.idea, false)) invoke(p, "own-begin", {Value(std::string(row.name))});
            p.widgets.endCombo();
        }
        ImGui::SameLine(0, gap);
        action(p, "own-try", 120 * s);
        ImGui::SameLine(0, gap);
        action(p, "own-save", 60 * s, "Save");
        drawOutcome(p);
        if (own.text->empty())
            p.widgets.wrapped(
                palette::kMuted,
                "A text is compiled for this device and tried in a separate process, with a copy of the bodies: neither an "
                "endless loop nor a bad address affects the run. Ctrl Enter also does it. Choose a text under 'Begin with'. "
                "The lesson own-kernel (F2) explains two of them; docs/own-kernels.md lists what a text may use.");
        else if (!below.empty())
            p.widgets.wrapped(palette::kMuted, "Marked: lines that '" + below + "' does not have.");
    }
    drawEditor(p);
}

}  // namespace gravlab
