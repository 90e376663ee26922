// Recording: a small panel of settings, and while a film grows, how long it is.
#include "app/encoders.h"
#include "app/panels/parameter_widgets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace gravlab {
namespace {

constexpr Control kSize{"film_size", "Size", "Pixels of the film, whatever the window's are"};
constexpr Control kCloseFilm{"film_close", "Close", "Put the panel away. Keys: Alt R, Esc"};

struct SizeRow {
    const char *name, *idea;
    int width, height;
};
constexpr SizeRow kSizes[] = {
    {"as the window", "what the window has when the film starts", 0, 0},
    {"640 x 360", "small", 640, 360},
    {"1280 x 720", "HD", 1280, 720},
    {"1920 x 1080", "full HD", 1920, 1080},
    {"2560 x 1440", "QHD", 2560, 1440},
    {"3840 x 2160", "4K; gravlab render goes up to 8K", 3840, 2160},
    {"1080 x 1080", "square", 1080, 1080},
    {"1080 x 1920", "upright, for telephones", 1080, 1920},
};

constexpr float kPanelWidth = 270, kProgressHeight = 4;
constexpr auto kFilmWindow = kPanelWindow | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

void drawSizes(PanelContext& p, const Reason& running) {
    const FilmState& film = p.state.film;
    const auto isChosen = [&](const SizeRow& row) { return row.width == film.width && row.height == film.height; };
    const SizeRow* now = std::find_if(std::begin(kSizes), std::end(kSizes), isChosen);
    if (!p.widgets.beginCombo(kSize, now == std::end(kSizes) ? "other" : now->name, running)) return;
    for (const SizeRow& row : kSizes)
        if (p.widgets.choice(row.name, row.idea, isChosen(row)))
            p.post({SetParameter{"film.width", std::int64_t{row.width}},
                    SetParameter{"film.height", std::int64_t{row.height}}});
    p.widgets.endCombo();
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
    for (const char* path : {"film.steps_per_frame", "film.frames_per_second", "film.length", "film.panels"})
        parameter(p, path, {.unavailable = running});
}

/// "1:05 left", "2 h 10 min left".
std::string leftText(double seconds) {
    char text[40];
    const auto whole = static_cast<long long>(std::ceil(seconds));
    if (whole < 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld left", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld h %02lld min left", whole / 3600, whole / 60 % 60);
    return text;
}

std::string progressText(const FilmState& film) {
    char text[120];
    const double seconds = static_cast<double>(film.frames) / std::max(film.fpsInUse, 1e-6);
    if (film.framesWanted > 0)
        std::snprintf(text, sizeof text, "%lld of %lld frames   %.2f s", static_cast<long long>(film.frames),
                      static_cast<long long>(film.framesWanted), seconds);
    else
        std::snprintf(text, sizeof text, "%lld frames   %.2f s", static_cast<long long>(film.frames), seconds);
    return text;
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
    std::string more = film.ending ? "the encoder writes the last frames" : "";
    if (more.empty() && film.secondsLeft >= 0) more = leftText(film.secondsLeft);
    if (film.waiting && !film.ending) more += (more.empty() ? "" : ", ") + std::string("waiting for the encoder");
    if (more.empty() && p.workspace.intent.paused) more = "paused: no steps, no frames";
    p.widgets.wrapped(palette::kMuted, more.empty() ? film.file.c_str() : more.c_str());
}

}  // namespace

void drawFilmPanel(PanelContext& p) {
    const FilmState& film = p.state.film;
    if (!p.state.inWindow || (!film.shown && !film.active)) return;
    const float s = p.widgets.scale();
    ImGui::SetNextWindowPos(ImVec2(0.5f * p.surface.x, p.top + kMargin * s), ImGuiCond_Always, ImVec2(0.5f, 0));
    ImGui::SetNextWindowSizeConstraints(ImVec2(kPanelWidth * s, 0), ImVec2(kPanelWidth * s, p.surface.y));
    ImGui::SetNextWindowBgAlpha(0.95f);
    if (ImGui::Begin("gravlab film", nullptr, kFilmWindow)) {
        p.widgets.panel("film");
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
    }
    ImGui::End();
}

}  // namespace gravlab
