// The card of the first start, and the card about this program. Rule: few words; each line is something to see or to do.
#include "app/system/built_in.h"
#include "app/tables/format.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

constexpr Control kCloseWelcome{"welcome_close", "Begin", "Close the card; Help, Welcome shows it again. Key: Esc"};
constexpr Control kTryDrop{"welcome_drop", "Drop a black hole",
                           "Activates the tool: press at its place, and drag the arrow of its velocity"};
constexpr Control kTryScenes{"welcome_scenes", "Choose another scene", "Pictures of all scenes"};
constexpr Control kTryLesson{"welcome_lesson", "Try a lesson",
                             "Begins the first lesson at the right. Key of all lessons: F2"};
constexpr Control kCloseAbout{"close_about", "Close", "Close this card. Key: Esc"};

constexpr float kWideWelcome = 470, kLeastWelcome = 350, kAboutWidth = 430;
constexpr float kLowCard = 340;
constexpr float kTitlePart = 0.66f;  // relative to the large font
constexpr float kAboveClock = 40;    // height of scale bar and clock in the picture

/// The name of a gesture and its effect; keys come from the table.
struct Gesture {
    std::string hand, does;
};

std::array<Gesture, 4> gestures() {
    return {{{"Drag", "rotate the view"},
             {"Wheel", "nearer, farther"},
             {keyText(actionOf("run")), "pause, continue"},
             {keyText(actionOf("slower")) + "  " + keyText(actionOf("faster")), "slower, faster"}}};
}

std::string asSentence(std::string_view text) {
    std::string whole(text);
    if (!whole.empty()) whole[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(whole[0])));
    return whole;
}

/// The largest height of the card.
float mostOfHeight(const PanelContext& p) { return p.surface.y - p.top - (kBottomHeight + 2 * kMargin) * p.widgets.scale(); }
/// Large letters in a small window: save lines.
bool isLow(const PanelContext& p) { return mostOfHeight(p) < kLowCard * p.widgets.scale(); }

void drawTitle(PanelContext& p, const char* text) {
    const Letters letters(p.widgets.fonts().large);
    ImGui::SetWindowFontScale(kTitlePart);
    p.widgets.wrapped(palette::kText, text);
    ImGui::SetWindowFontScale(1);
}

void drawGestures(PanelContext& p) {
    const float s = p.widgets.scale(), half = 0.5f * ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
    int place = 0;
    for (const auto& [hand, does] : gestures()) {
        if (place % 2) ImGui::SameLine(left + half);
        const float at = place++ % 2 ? left + half : left;
        p.widgets.wrapped(palette::kAccent, hand);
        ImGui::SameLine(at + 52 * s);
        ImGui::TextUnformatted(does.c_str());
    }
}

/// A line that runs its own text as an action: its words, and their meaning.
bool drawOffer(PanelContext& p, const Control& control, const std::string& idea) {
    const float s = p.widgets.scale(), width = ImGui::GetContentRegionAvail().x;
    const float high = ImGui::GetFrameHeight() + (isLow(p) ? 0 : 4 * s);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(control.name);
    const bool pressed = ImGui::Button("##offer", ImVec2(width, high));
    ImGui::PopID();
    p.widgets.finish(control);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = at.y + 0.5f * (high - ImGui::GetFontSize()), wide = ImGui::CalcTextSize(control.label).x;
    list.AddText(ImVec2(at.x + 9 * s, y), palette::kText, control.label);
    ImGui::PushFont(p.widgets.fonts().small);
    const float from = at.x + std::max(wide + 22 * s, 164 * s), shown = at.x + width - 8 * s - from;
    // The tooltip has the words that do not fit.
    if (ImGui::CalcTextSize(idea.c_str()).x <= shown)
        list.AddText(ImVec2(from, at.y + 0.5f * (high - ImGui::GetFontSize())), palette::kMuted, idea.c_str());
    ImGui::PopFont();
    return pressed;
}

/// Three things to try, and ways to all the others.
bool drawOffers(PanelContext& p) {
    bool done = false;
    if (drawOffer(p, kTryDrop, "and see its effect on the others")) {
        set(p, "drop.kind", std::string("black-hole"));
        if (!p.document.drop.on) set(p, "drop.on", true);
        done = true;
    }
    if (drawOffer(p, kTryScenes, std::to_string(sceneTable().size()) + ", from two bodies to galaxies")) {
        set(p, "window.scenes", true);
        done = true;
    }
    const std::vector<LessonOffer>& lessons = p.document.lesson.offered;
    if (!lessons.empty()) {
        const LessonOffer& first = lessons.front();
        if (drawOffer(p, kTryLesson, first.title + ", " + std::to_string(first.minutes) + " min")) {
            invoke(p, "lesson", {first.name});
            done = true;
        }
    }
    return done;
}

/// The first scene, left alone, begins again some seconds after the end of its story.
struct StoryEnd {
    double since = -1;  ///< [s] of the panels; below 0: it has not ended
};
void beginAgain(PanelContext& p) {
    constexpr double kRest = 6;  // [s]
    double& since = p.widgets.kept<StoryEnd>().since;
    if (!p.document.storyEnded())
        since = -1;
    else if (since < 0)
        since = ImGui::GetTime();
    else if (ImGui::GetTime() - since > kRest) {
        invoke(p, "reset");
        set(p, "window.welcome", true);  // an action puts the card away
    }
}

}  // namespace

void drawWelcome(PanelContext& p) {
    if (!p.state.welcome || !p.state.inWindow) return;
    beginAgain(p);
    const float s = p.widgets.scale(), margin = kMargin * s;
    const PicturePart& shown = p.free;
    // Below the picture's subject when there is room, like a label in a museum; else over everything.
    const bool beside = static_cast<float>(shown.width) >= kLeastWelcome * s + 2 * margin;
    const float left = beside ? static_cast<float>(shown.left) : 0,
                wide = beside ? static_cast<float>(shown.width) : p.surface.x;
    const float bottom =
        beside ? static_cast<float>(shown.top + shown.height) - kAboveClock * s : p.surface.y - kBottomHeight * s;
    const bool column = p.plan.welcome;
    const float width = column ? kWelcomeWidth * s : std::min(kWideWelcome * s, wide - 2 * margin), most = mostOfHeight(p);
    const ImVec2 foot(std::floor(left + 0.5f * wide), bottom - margin);
    if (column)
        placePanel(ImVec2(p.surface.x - margin, p.top + margin + 40 * s), ImVec2(1, 0), width, most);
    else
        placePanel(foot, ImVec2(0.5f, 1), width, most);
    ImGui::SetNextWindowBgAlpha(0.95f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, isLow(p) ? ImVec2(14 * s, 7 * s) : ImVec2(18 * s, 14 * s));
    if (ImGui::Begin("gravlab welcome", nullptr, kFittedPanel | ImGuiWindowFlags_NoFocusOnAppearing)) {
        // A card higher than the picture begins below the menus.
        const float high = ImGui::GetWindowHeight(), least = p.top + margin;
        if (!column && foot.y - high < least)
            ImGui::SetWindowPos(ImVec2(std::floor(foot.x - 0.5f * width), least), ImGuiCond_Always);
        p.widgets.panel("welcome");
        const Scene& scene = *p.facts.scene;
        if (!isLow(p)) {
            const Letters letters(p.widgets.fonts().small);
            p.widgets.wrapped(palette::kMuted, "Welcome to gravlab. " + std::string(grouped(p.facts.configuration.bodies)) +
                                                   " bodies move here, computed as you watch:");
        }
        drawTitle(p, asSentence(scene.idea).c_str());
        p.widgets.wrapped(palette::kText, std::string(scene.caption));
        if (!isLow(p)) {
            p.widgets.section("Look around");
            drawGestures(p);
        }
        p.widgets.section("Three things to try");
        bool done = drawOffers(p);
        if (!isLow(p)) ImGui::Dummy(ImVec2(0, 2 * s));
        done = p.widgets.litButton(kCloseWelcome, 96 * s, true) || done;
        // A click outside closes the card: the user begins on his own.
        constexpr auto kAny = ImGuiHoveredFlags_RootAndChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem;
        const bool appeared = ImGui::IsWindowAppearing();
        if (!appeared && ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered(kAny)) done = true;
        if (done) set(p, "window.welcome", false);
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

void drawAbout(PanelContext& p) {
    if (!p.state.about) return;
    const float s = p.widgets.scale(), width = std::min(kAboutWidth * s, p.surface.x - 2 * kMargin * s);
    const float most = mostOfHeight(p);
    placePanel(ImVec2(0.5f * p.surface.x, 0.5f * (p.surface.y + p.top - kBottomHeight * s)), ImVec2(0.5f, 0.5f), width,
               most);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(18 * s, 14 * s));
    if (const PanelWindow window(p, "about", kFittedPanel, 0.97f); window) {
        drawTitle(p, ("gravlab " + std::string(version())).c_str());
        p.widgets.wrapped(palette::kText,
                          "A laboratory for systems of many bodies: every shown number is measured or checked during the "
                          "run. Free software under the MIT licence.");
        p.widgets.section("This build");
        ImGui::PushFont(p.widgets.fonts().small);
        const std::string text = versionText();  // its first line is the title
        p.widgets.wrapped(palette::kMuted, text.substr(std::min(text.find('\n') + 1, text.size())));
        ImGui::PopFont();
        p.widgets.section("This machine");
        ImGui::PushFont(p.widgets.fonts().small);
        for (const std::string* line : {&p.facts.device, &p.facts.backendWhy, &p.renderer})
            p.widgets.wrapped(palette::kMuted, line->c_str());
        ImGui::PopFont();
        ImGui::Dummy(ImVec2(0, 2 * s));
        if (p.widgets.button(kCloseAbout, 0)) set(p, "window.about", false);
    }
    ImGui::PopStyleVar();
}

}  // namespace gravlab
