// Recording: a small panel of settings, and the length of the film so far.
#include "app/film/encoders.h"
#include "app/model/film_plan.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

constexpr Control kSize{"film_size", "Size", "Pixels of the film, whatever the window's are"};
constexpr Control kCloseFilm{"film_close", "Close", "Close the panel. Keys: Alt R, Esc"};

constexpr float kPanelWidth = 270, kProgressHeight = 4;
constexpr auto kFilmWindow = kFittedPanel | ImGuiWindowFlags_NoFocusOnAppearing;

void drawSizes(PanelContext& p, const Reason& running) {
    const FilmState& film = p.state.film;
    const auto isChosen = [&](const PictureSize& row) { return row.width == film.width && row.height == film.height; };
    const auto sizes = pictureSizes();
    const auto now = std::find_if(sizes.begin(), sizes.end(), isChosen);
    if (!p.widgets.beginCombo(kSize, now == sizes.end() ? "other" : now->name, running)) return;
    for (const PictureSize& row : sizes)
        if (p.widgets.choice(row.name, row.idea, isChosen(row)))
            p.post({SetParameter{"film.width", std::int64_t{row.width}},
                    SetParameter{"film.height", std::int64_t{row.height}}});
    p.widgets.endCombo();
}

/// The frame rate of the film: some encoders have a lower limit than the chosen rate.
double framesPerSecond(const FilmState& film) {
    return film.encoder.empty() ? film.fps : std::min(film.fps, encoder(film.encoder).mostFps);
}

/// "17 s", "3 min".
std::string spanText(double seconds) {
    if (seconds < 99.5) return formatted(seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    if (seconds < 99.5 * 60) return formatted("%.0f min", seconds / 60);
    return formatted("%.1f h", seconds / 3600);
}

/// The length of the film, and the computing time at the present rate of the run.
std::string expectedText(PanelContext& p, const FilmPlan& plan) {
    const double steps = plan.stepsPerFrame * framesPerSecond(p.state.film), rate = p.facts.stepsPerSecond;
    const double second = steps * std::abs(p.facts.configuration.timeStep);
    const std::string clock = clockText(second, p.facts.scene->units);
    std::string text = "A second of film shows" + clock.substr(clock.find('=') + 1);
    if (p.facts.scene->units.time.empty()) text += " T";
    if (p.document.intent.paused || !(rate > 0)) return text + ".";
    // Frames of a film have full quality, even when a slow window reduces it.
    text += (p.facts.quality.empty() ? " and takes about " : " and takes longer than ") + spanText(steps / rate);
    if (plan.frames > 0) text += "; all of it " + spanText(static_cast<double>(plan.frames) * plan.stepsPerFrame / rate);
    return text + ".";
}

void drawSettings(PanelContext& p) {
    const FilmState& film = p.state.film;
    const Reason running = film.active ? "A film is being recorded with what is shown here." : "";
    drawSizes(p, running);
    parameter(p, "film.encoder", {.unavailable = running});
    const bool lossless = !film.encoder.empty() && encoder(film.encoder).lossless;
    parameter(p, "film.quality",
              {.unavailable = lossless ? "This encoder keeps every pixel as it is." : running,
               .now = Value(film.quality >= 0 ? film.quality : kUsualQuality)});
    const double fps = framesPerSecond(film);
    const FilmPlan plan = filmPlan(p.document, fps);
    DragSpec steps = parameter("film.steps_per_frame").dragged;
    const std::string asTheWindow = "as the window (" + std::to_string(plan.stepsPerFrame) + ")";
    if (film.stepsPerFrame == 0) steps.format = asTheWindow.c_str();
    parameter(p, "film.steps_per_frame", {.unavailable = running, .dragged = steps});
    parameter(p, "film.frames_per_second", {.unavailable = running});
    parameter(p, "film.loop", {.unavailable = running});
    DragSpec length = parameter("film.length").dragged;
    const bool loops = film.loop && plan.frames > 0 && noLoop(p.document).empty();
    const std::string period = formatted("%.3g s: one period", static_cast<double>(plan.frames) / fps);
    if (loops)
        length.format = period.c_str();
    else if (film.seconds == 0)
        length.format = "until stopped";
    parameter(p, "film.length",
              {.unavailable = !running.empty() ? running
                              : loops          ? Reason("A loop is one period long.")
                                               : Reason(),
               .dragged = length});
    parameter(p, "film.panels", {.unavailable = running});
    if (!film.active) p.widgets.wrapped(palette::kMuted, expectedText(p, plan));
}

/// "1:05 left", "2 h 10 min left".
std::string leftText(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(seconds));
    return whole < 3600 ? formatted("%lld:%02lld left", whole / 60, whole % 60)
                        : formatted("%lld h %02lld min left", whole / 3600, whole / 60 % 60);
}

std::string progressText(const FilmState& film) {
    const double rate = std::max(film.fpsInUse, 1e-6);
    const std::string whole =
        film.framesWanted > 0 ? formatted(" of %.2f s", static_cast<double>(film.framesWanted) / rate) : std::string();
    return formatted("film %.2f s", static_cast<double>(film.frames) / rate) + whole;
}

void drawFilmProgress(PanelContext& p) {
    const FilmState& film = p.state.film;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float high = ImGui::GetTextLineHeight(), radius = 0.32f * high;
    ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + radius, at.y + 0.5f * high), radius, palette::kBad);
    ImGui::Dummy(ImVec2(2 * radius, high));
    ImGui::SameLine();
    ImGui::TextUnformatted(progressText(film).c_str());
    if (film.framesWanted > 0) {
        const float part = static_cast<float>(film.frames) / static_cast<float>(film.framesWanted);
        ImGui::PushStyleColor(ImGuiCol_PlotHistogram, static_cast<ImU32>(palette::kAccent));
        ImGui::ProgressBar(part, ImVec2(-1, kProgressHeight * p.widgets.scale()), "");
        ImGui::PopStyleColor();
    }
}

/// Lines that come and go: below the buttons, which so stay in their place.
void drawFilmDetails(PanelContext& p) {
    const FilmState& film = p.state.film;
    if (film.workPerSecond >= 0)
        p.widgets.wrapped(palette::kMuted, spanText(film.workPerSecond) + " of work per second of film");
    std::string more = film.ending ? "the encoder writes the last frames" : "";
    if (more.empty() && film.secondsLeft >= 0) more = leftText(film.secondsLeft);
    if (film.waiting && !film.ending) more += (more.empty() ? "" : ", ") + std::string("waiting for the encoder");
    if (more.empty() && p.document.intent.paused) more = "paused: no steps, no frames";
    p.widgets.wrapped(palette::kMuted, more.empty() ? film.file : more);
}

}  // namespace

void drawFilmPanel(PanelContext& p) {
    const FilmState& film = p.state.film;
    if (!p.state.inWindow || (!film.shown && !film.active)) return;
    const float s = p.widgets.scale();
    placePanel(ImVec2(0.5f * p.surface.x, p.top + kMargin * s), ImVec2(0.5f, 0), kPanelWidth * s, p.surface.y);
    if (const PanelWindow window(p, "film", kFilmWindow, 1); window) {
        if (film.shown) {
            p.widgets.section("Film");
            drawSettings(p);
            ImGui::Dummy(ImVec2(0, 2 * s));
        }
        if (film.active) {
            drawFilmProgress(p);
            action(p, "record", 0, "Stop");
            ImGui::SameLine();
            action(p, "cancel-film", 0, "Cancel");
        } else {
            action(p, "record", 0, "Record");
        }
        if (film.shown) {
            ImGui::SameLine();
            if (p.widgets.button(kCloseFilm, 0)) set(p, "film.panel", false);
        }
        if (film.active) drawFilmDetails(p);
    }
}

}  // namespace gravlab
