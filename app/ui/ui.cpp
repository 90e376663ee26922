// Dear ImGui's context, fonts and style, and the order of the panels. The OpenGL backend is here, that of a window is not.
#include "app/ui/ui.h"

#include "app/system/built_in.h"
#include "app/ui/command_finder.h"
#include "app/ui/overlay.h"
#include "app/ui/panel_input.h"
#include "app/ui/panels.h"
#include "app/ui/scene_picker.h"
#include "app/view/app.h"
#include "render/gl_objects.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

/// Letters for names of files, bodies and people. Large numbers and program text need only the first range. All ranges take
/// 13 ms to rasterise at scale 1, the first alone 12 ms.
constexpr ImWchar kNameLetters[] = {0x20,   0xff,    // Latin
                                    0x100,  0x17f,   // Latin with the accents of Europe
                                    0x218,  0x21b,   // those of Romania
                                    0x370,  0x3ff,   // Greek
                                    0x400,  0x4ff,   // Cyrillic
                                    0x2010, 0x2044,  // dashes, quotation marks
                                    0};

constexpr float kNormalSize = 14, kHeadingSize = 16, kSmallSize = 12, kLargeSize = 32, kMonoSize = 11;

ImVec4 colour(int red, int green, int blue, float alpha = 1) {
    return ImVec4(static_cast<float>(red) / 255, static_cast<float>(green) / 255, static_cast<float>(blue) / 255, alpha);
}

/// Dark, quiet, one accent; light comes from the picture behind. What acts is filled with the accent, what takes a text has
/// an outline, and a list has both.
ImGuiStyle makeStyle(float scale, bool strong, bool light) {
    ImGuiStyle style;
    ImGui::StyleColorsDark(&style);
    style.WindowPadding = ImVec2(12, 10);
    style.FramePadding = ImVec2(7, 3);
    style.ItemSpacing = ImVec2(6, 4);
    style.ItemInnerSpacing = ImVec2(5, 4);
    style.WindowRounding = 8;
    style.FrameRounding = 4;
    style.PopupRounding = 6;
    style.GrabRounding = 3;
    style.ScrollbarRounding = 6;
    style.ScrollbarSize = 9;
    style.GrabMinSize = 9;
    style.WindowBorderSize = 1;
    style.FrameBorderSize = 1;
    style.DisabledAlpha = 0.6f;
    style.WindowMinSize = ImVec2(8, 8);
    ImVec4* c = style.Colors;
    c[ImGuiCol_Text] = colour(222, 226, 232);
    c[ImGuiCol_TextDisabled] = colour(139, 148, 160);
    c[ImGuiCol_WindowBg] = colour(13, 16, 22, 0.84f);
    c[ImGuiCol_MenuBarBg] = colour(0, 0, 0, 0);  // the bar looks like the other panels
    c[ImGuiCol_PopupBg] = colour(20, 24, 32, 0.98f);
    c[ImGuiCol_Border] = colour(255, 255, 255, 0.13f);
    c[ImGuiCol_FrameBg] = colour(255, 255, 255, 0.02f);
    c[ImGuiCol_FrameBgHovered] = colour(255, 255, 255, 0.08f);
    c[ImGuiCol_FrameBgActive] = colour(255, 255, 255, 0.13f);
    c[ImGuiCol_Button] = colour(106, 176, 243, 0.18f);
    c[ImGuiCol_ButtonHovered] = colour(106, 176, 243, 0.35f);
    c[ImGuiCol_ButtonActive] = colour(106, 176, 243, 0.55f);
    c[ImGuiCol_Header] = colour(106, 176, 243, 0.22f);
    c[ImGuiCol_HeaderHovered] = colour(106, 176, 243, 0.34f);
    c[ImGuiCol_HeaderActive] = colour(106, 176, 243, 0.5f);
    c[ImGuiCol_SliderGrab] = colour(106, 176, 243, 0.75f);
    c[ImGuiCol_SliderGrabActive] = colour(106, 176, 243);
    c[ImGuiCol_CheckMark] = colour(106, 176, 243);
    c[ImGuiCol_TextSelectedBg] = colour(106, 176, 243, 0.35f);
    c[ImGuiCol_ScrollbarBg] = colour(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = colour(255, 255, 255, 0.12f);
    c[ImGuiCol_NavHighlight] = colour(106, 176, 243, 0.6f);
    if (strong) {
        c[ImGuiCol_Text] = colour(255, 255, 255);
        c[ImGuiCol_TextDisabled] = colour(205, 212, 222);
        c[ImGuiCol_WindowBg] = colour(0, 0, 0, 0.97f);
        c[ImGuiCol_PopupBg] = colour(0, 0, 0);
        c[ImGuiCol_Border] = colour(255, 255, 255, 0.35f);
        c[ImGuiCol_FrameBg] = colour(255, 255, 255, 0.14f);
        c[ImGuiCol_Button] = colour(106, 176, 243, 0.32f);
    }
    if (light) {
        // Use black veils on white where the dark theme has white veils on black.
        for (const int i :
             {ImGuiCol_Border, ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ScrollbarGrab})
            c[i] = colour(0, 0, 0, c[i].w);
        c[ImGuiCol_Text] = ImGui::ColorConvertU32ToFloat4(palette::kText.onWhite);
        c[ImGuiCol_TextDisabled] = ImGui::ColorConvertU32ToFloat4(palette::kMuted.onWhite);
        c[ImGuiCol_WindowBg] = colour(246, 247, 249, strong ? 1 : 0.92f);
        c[ImGuiCol_PopupBg] = colour(252, 252, 253);
        c[ImGuiCol_Border].w = 0.18f;
    }
    style.ScaleAllSizes(scale);
    style.WindowBorderSize = std::max(1.0f, std::floor(scale));
    return style;
}

/// Makes a context current during its lifetime: a film has its own panels beside the window's.
class CurrentContext {
public:
    explicit CurrentContext(ImGuiContext* mine) : before_(ImGui::GetCurrentContext()) { ImGui::SetCurrentContext(mine); }
    ~CurrentContext() { ImGui::SetCurrentContext(before_); }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

private:
    ImGuiContext* before_;
};

/// Whether a menu or list was requested and will first appear in this frame. In version 1.86 of Dear ImGui Escape would
/// crash now, so it waits for the next frame.
bool listIsDue() {
    const ImVector<ImGuiPopupData>& lists = ImGui::GetCurrentContext()->OpenPopupStack;
    return !lists.empty() && !lists.back().Window;
}

/// Whether a panel of the last frame takes the pointer at that place.
bool overPanel(const ImGuiContext& context, ImVec2 place) {
    if (!context.OpenPopupStack.empty()) return true;
    return std::any_of(context.Windows.begin(), context.Windows.end(), [&](const ImGuiWindow* window) {
        return window->Active && !window->Hidden && !(window->Flags & ImGuiWindowFlags_NoMouseInputs) &&
               window->OuterRectClipped.Contains(place);
    });
}

}  // namespace

struct Ui::Parts {
    ImGuiContext* context = nullptr;
    bool strong = false, light = false;  ///< colours of the theme
    std::string renderer;
    float scale = 1;
    Fonts fonts;
    Widgets widgets;
    bool visibleBefore = true;
    bool settled = false;  ///< sizes that follow from contents are known
    bool drawn = false;    ///< the backend has made its objects
    bool popup = false;    ///< a menu or list is open
    MenuWalk menu;
    bool panelMoves = false;  ///< move the focus to the next panel
    std::string panelWithKeys;
    ScenePicker picker;
    CommandFinder finder;
    PicturePart free;
    PanelInput input;
    Clipboard clipboard;
    std::string pasted;  ///< the clipboard's text for Dear ImGui

    void passKeys(const UiState& state, PanelState& reports);
    void build(const Document& document, const ServiceResults& readouts, const UiState& state, PanelState& reports,
               const Post& post);
    float bodyPanel = 0;
    std::optional<std::array<double, 2>> pair;
};

Ui::Ui(float scale, std::string renderer, const App& app)
    : Ui(scale, std::move(renderer), app.document.ui, app.reports.panels) {}

Ui::Ui(float scale, std::string renderer, const UiState& shown, PanelState& reports)
    : state(shown), reports_(reports), parts_(std::make_unique<Parts>()) {
    IMGUI_CHECKVERSION();
    parts_->context = ImGui::CreateContext();
    const CurrentContext current(parts_->context);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // the layout follows the window, so there is nothing to store
    io.LogFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    mapPanelKeys(io);
    parts_->renderer = std::move(renderer);
    if (!ImGui_ImplOpenGL3_Init("#version 450 core")) {
        ImGui::DestroyContext(parts_->context);
        throw GlError("Dear ImGui cannot draw with this OpenGL context");
    }
    setScale(scale);
}

Ui::~Ui() {
    ImGuiContext* const before = ImGui::GetCurrentContext();
    ImGui::SetCurrentContext(parts_->context);
    if (ImGui::GetIO().BackendRendererUserData) ImGui_ImplOpenGL3_Shutdown();  // not after dropPicture()
    ImGui::DestroyContext(parts_->context);
    ImGui::SetCurrentContext(before == parts_->context ? nullptr : before);
}

void Ui::dropPicture() {
    const CurrentContext current(parts_->context);
    ImGui_ImplOpenGL3_Shutdown();
    parts_->picker.dropPictures();
    parts_->drawn = false;
}

void Ui::remakePicture(std::string renderer) {
    const CurrentContext current(parts_->context);
    parts_->renderer = std::move(renderer);
    if (!ImGui_ImplOpenGL3_Init("#version 450 core")) throw GlError("Dear ImGui cannot draw with this OpenGL context");
}

void Ui::setScale(float scale) {
    const CurrentContext current(parts_->context);
    scale = std::clamp(scale, 0.5f, 4.0f);
    parts_->scale = reports_.scale = scale;
    parts_->settled = false;
    parts_->strong = state.projector;
    ImGui::GetStyle() = makeStyle(scale, parts_->strong, parts_->light);
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    const auto add = [&](float size, FontBytes bytes, const ImWchar* letters = nullptr) {
        ImFontConfig kept;
        kept.FontDataOwnedByAtlas = false;
        if (!bytes.empty())
            if (ImFont* font = atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()),
                                                          std::round(size * scale), &kept, letters))
                return font;
        // The bitmap font has 13 pixels and is sharp only at multiples.
        constexpr float kBitmap = 13;
        ImFontConfig config;
        config.SizePixels = kBitmap * std::max(std::floor(size * scale / kBitmap + 0.4f), 1.0f);
        return atlas.AddFontDefault(&config);
    };
    const FontBytes text = textFont();
    parts_->fonts = {.normal = add(kNormalSize, text, kNameLetters),
                     .heading = add(kHeadingSize, text, kNameLetters),
                     .small = add(kSmallSize, text, kNameLetters),
                     .large = add(kLargeSize, text),
                     .mono = add(kMonoSize, monoFont())};
#if IMGUI_VERSION_NUM < 19200
    // Destroy only the font texture: when all objects are destroyed, the backend forgets the size of its buffers.
    if (parts_->drawn) {
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
    }
#endif
}

void Ui::setSurface(int width, int height, double seconds) {
    const CurrentContext current(parts_->context);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(std::max(width, 1)), static_cast<float>(std::max(height, 1)));
    io.DisplayFramebufferScale = ImVec2(1, 1);
    io.DeltaTime = std::max(static_cast<float>(seconds), 1e-6f);
}

void Ui::take(const InputEvent& event) { parts_->input.take(event); }

void Ui::setClipboard(Clipboard clipboard) {
    const CurrentContext current(parts_->context);
    parts_->clipboard = std::move(clipboard);
    ImGuiIO& io = ImGui::GetIO();
    io.ClipboardUserData = parts_.get();
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;  // a display with a clipboard has a pointer
    io.SetClipboardTextFn = [](void* parts, const char* text) {
        Parts& own = *static_cast<Parts*>(parts);
        own.pasted = text;
        if (own.clipboard.write) own.clipboard.write(own.pasted);
    };
    io.GetClipboardTextFn = [](void* parts) {
        Parts& own = *static_cast<Parts*>(parts);
        if (own.clipboard.read) own.pasted = own.clipboard.read();
        return own.pasted.c_str();
    };
}

PointerShape Ui::pointerShape() const {
    const CurrentContext current(parts_->context);
    // In the order of ImGuiMouseCursor; the rest are arrows.
    constexpr PointerShape kShapes[] = {PointerShape::arrow,     PointerShape::text,      PointerShape::arrow,
                                        PointerShape::upDown,    PointerShape::leftRight, PointerShape::downLeft,
                                        PointerShape::downRight, PointerShape::hand};
    const auto shape = static_cast<std::size_t>(ImGui::GetMouseCursor());
    return shape < std::size(kShapes) ? kShapes[shape] : PointerShape::arrow;
}

void Ui::Parts::build(const Document& document, const ServiceResults& readouts, const UiState& state, PanelState& reports,
                      const Post& post) {
    ImGui_ImplOpenGL3_NewFrame();
    drawn = true;
    ImGui::NewFrame();
    widgets.beginFrame(scale, fonts);
    if (!state.visible && visibleBefore) ImGui::SetWindowFocus(nullptr);  // a hidden field must not receive keys
    visibleBefore = state.visible;
    pair.reset();
    const float top = menuHeight(state, scale);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const bool over = state.visible || !state.inWindow;
    const PanelPlan plan = planPanels(document, state, size, scale, &readouts);
    OverlayArea area{.from = ImVec2(0, 0),
                     .to = size,
                     .scale = scale,
                     .font = fonts.normal,
                     .large = fonts.large,
                     .clock = !state.visible};
    if (over) {
        area.from = ImVec2(plan.left, top);
        area.to = ImVec2(size.x - plan.right,
                         size.y - (state.visible ? kBottomHeight * scale : 0) - std::max(plan.stripHeight, plan.labHeight));
    }
    free = freeOf(document, area);
    const std::vector<Viewport> views = viewports(document, static_cast<int>(size.x), static_cast<int>(size.y), free);
    drawFourViewOverlay(document, area, views);  // views of planes without their axes would say little: those stay
    if (over) drawOverlay(document, {readouts.path, readouts.dropPath}, area, views);
    PanelContext panel{.document = document,
                       .readouts = readouts,
                       .facts = document.facts,
                       .state = state,
                       .widgets = widgets,
                       .post = post,
                       .renderer = renderer,
                       .surface = size,
                       .plan = plan,
                       .views = views,
                       .free = free,
                       .top = top,
                       .menu = menu,
                       .bodyPanel = bodyPanel,
                       .pair = pair,
                       .picker = picker,
                       .finder = finder};
    if (over) drawTwinLabels(panel);
    popup = false;
    if (!state.visible) {
        // No panel is left for the keys.
        reports.navigating = menu.toggled = panelMoves = false;
        return;
    }
    lightControl(panel);
    drawMenuBar(panel);
    drawPlayBar(panel);
    if (state.panel) {
        if (plan.controls) drawControlPanel(panel);
        if (plan.measurements) {
            if (plan.lesson)
                drawLessonPanel(panel);
            else
                drawMeasurePanel(panel);
        }
        if (plan.strip == PanelPlan::Strip::conservation) drawConservation(panel);
        if (plan.strip == PanelPlan::Strip::instruments) drawInstruments(panel);
        if (plan.strip == PanelPlan::Strip::twin) drawTwinStrip(panel);
        drawLabPanel(panel);
    }
    drawBodyPanel(panel);
    drawStatusLine(panel);
#define GRAVLAB_PANEL(name, draw, ...) draw(panel);
    GRAVLAB_PANELS
#undef GRAVLAB_PANEL
    if (state.inWindow) drawFiles(panel);
    drawFilmPanel(panel);
    drawStory(panel);
    drawMessage(panel);
    passKeys(state, reports);
    popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

/// Moves the focus to the next shown panel on request; after the last one no panel has it.
void Ui::Parts::passKeys(const UiState& state, PanelState& reports) {
    std::vector<std::string_view> panels = widgets.panels();
    std::erase_if(panels, [&](std::string_view name) {
        return name == "menu" || name == "status" || (name == "play" && !state.panel);
    });
    if (panels.empty()) reports.navigating = false;
    if (!std::exchange(panelMoves, false) || panels.empty()) return;
    reports.navigating = true;
    const auto last = std::find(panels.begin(), panels.end(), panelWithKeys);
    const bool wraps = last == panels.end() || last + 1 == panels.end();
    panelWithKeys = wraps ? panels.front() : *(last + 1);
    ImGui::SetWindowFocus(("gravlab " + panelWithKeys).c_str());
}

PanelNeeds Ui::needs(const Document& document) const {
    const CurrentContext current(parts_->context);
    PanelNeeds needs{.balance = state.visible && state.panel, .pair = parts_->pair};
    // A film beside the window has panels of its own, which have no say.
    if (state.inWindow)
        needs.profile =
            planPanels(document, state, ImGui::GetIO().DisplaySize, parts_->scale).strip == PanelPlan::Strip::instruments;
    return needs;
}

void Ui::frame(App& app, const Post& post) {
    requestMeasurements(app, needs(app.document));
    frame(app.document, serviceResultsOf(app), post);
    requestMeasurements(app, {.pair = parts_->pair});
    // A film beside the window leaves the window's pictures where they are.
    if (&state == &app.document.ui) app.reports.free = parts_->free;
}

void Ui::drawOver(App& app, int width, int height, double seconds) {
    setSurface(width, height, seconds);
    frame(app);
    draw();
}

void Ui::frame(const Document& document, const ServiceResults& readouts, const Post& sink) {
    const CurrentContext current(parts_->context);
    const Post nobody = [](const std::vector<Command>&) {};
    const Post& post = sink ? sink : nobody;
    if (std::exchange(parts_->light, document.look.paper) != document.look.paper)
        ImGui::GetStyle() = makeStyle(parts_->scale, parts_->strong, parts_->light);
    palette::strong = parts_->strong;
    palette::light = parts_->light;
    // Only while keys act on panels: otherwise Space and arrows are commands.
    ImGuiIO& io = ImGui::GetIO();
    parts_->input.feed(io);
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
    if (navigates() && !listIsDue()) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
#if IMGUI_VERSION_NUM < 18700
    // In menus Enter chooses like Space; this version would only use it for typing.
    if (parts_->popup && ImGui::IsKeyDown(ImGui::GetKeyIndex(ImGuiKey_Enter))) io.NavInputs[ImGuiNavInput_Activate] = 1;
#endif
    // ImGui hides a window until it knows the size of its contents, but a film needs its panels in the first frame.
    for (int pass = 0; !parts_->settled && pass < 2; ++pass) {
        parts_->build(document, readouts, state, reports_, post);
        ImGui::EndFrame();
    }
    parts_->settled = true;
    parts_->build(document, readouts, state, reports_, post);
    ImGui::Render();
}

void Ui::draw() {
    const CurrentContext current(parts_->context);
    if (ImDrawData* built = ImGui::GetDrawData()) ImGui_ImplOpenGL3_RenderDrawData(built);
}

void Ui::drawPart(int left, int top, int width, int height) {
    const CurrentContext current(parts_->context);
    ImDrawData& data = *ImGui::GetDrawData();
    const ImVec2 from = data.DisplayPos, size = data.DisplaySize;
    data.DisplayPos = ImVec2(from.x + static_cast<float>(left), from.y + static_cast<float>(top));
    data.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    data.DisplayPos = from;
    data.DisplaySize = size;
}

bool Ui::wantsMouse() const {
    const CurrentContext current(parts_->context);
    const std::optional<glm::vec2> moved = parts_->input.newPlace();
    // Where frames take long, a pointer may move and click between two of them.
    if (!moved || ImGui::IsAnyMouseDown()) return ImGui::GetIO().WantCaptureMouse;
    return overPanel(*ImGui::GetCurrentContext(), ImVec2(moved->x, moved->y));
}
bool Ui::wantsKeyboard() const {
    const CurrentContext current(parts_->context);
    // WantTextInput follows a frame late. A key after the frame in which a field has closed is a command, also where the
    // press that closed it has made something else active.
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    return context.WantTextInputNextFrame == 1 && context.ActiveId != 0 && context.ActiveId == context.InputTextState.ID;
}
void Ui::walkMenus() { parts_->menu.toggled = true; }
void Ui::nextPanel() { parts_->panelMoves = true; }
bool Ui::navigates() const { return state.navigating || parts_->menu.toggled || parts_->panelMoves || parts_->popup; }
bool Ui::hasPopup() const { return parts_->popup; }
PanelFocus Ui::focus() const {
    PanelFocus focus{wantsMouse(), wantsKeyboard(), navigates(), hasPopup()};
    focus.unseen =
        (parts_->input.pressWaits() && (focus.pointer || focus.typing || focus.popup)) || parts_->widgets.awaitsKeys();
    return focus;
}
bool Ui::restless() const { return parts_->widgets.restless() || wantsKeyboard() || parts_->input.pending(); }

void Ui::recordItems(bool on) { parts_->widgets.recording = on; }
const PicturePart& Ui::free() const { return parts_->free; }
std::span<const UiItem> Ui::items() const { return parts_->widgets.items; }

}  // namespace gravlab
