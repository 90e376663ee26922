// Files: save, open one of this folder or by name, and the offer to recover after a crash.
#include "app/parameters/parameter.h"
#include "app/ui/parameter_widgets.h"
#include "sim/io/snapshot.h"

#include <algorithm>
#include <filesystem>

namespace gravlab {
namespace {

constexpr Control kSaveAs{
    "save_as", "Save as",
    "A name; the extension decides the format: .hdf5 allows exact continuation, .csv .tab .tipsy .gadget .ply "
    "keep the bodies. Enter saves"};
constexpr Control kSaveNamed{"save", "Save", "Save the run under this name, in the folder that is listed"};
constexpr Control kFolder{"open_folder", "", "List this folder"};
constexpr Control kRecent{"open_recent", "", "Open this file, which was opened or saved recently; the run on screen ends"};
constexpr Control kOpen{"open_path", "Open", "The path of a file with bodies, of any format. Enter opens it"};
constexpr Control kEntry{"open_file", "",
                         "Open this file; the run on screen ends. A file can also be dropped on the window"};
constexpr Control kCloseFiles{"close_files", "Close", "Close the list. Keys: Ctrl O, Esc"};

constexpr float kFilesWidth = 460;
constexpr float kListHeight = 220;

void drawRecovery(PanelContext& p) {
    const FilesState& files = p.state.files;
    if (files.recover.empty()) return;
    const float s = p.widgets.scale();
    placePanel(ImVec2(0.5f * p.surface.x, p.top + kMargin * s), ImVec2(0.5f, 0), kFilesWidth * s, p.surface.y);
    if (const PanelWindow window(p, "recovery", kFittedPanel | ImGuiWindowFlags_NoFocusOnAppearing, 1); window) {
        p.widgets.wrapped(palette::kText, files.recoverText);
        action(p, "recover", 0);
        ImGui::SameLine();
        action(p, "discard", 0);
    }
}

/// A name in the listed folder, with the chosen extension unless it has one.
std::string pathOf(const FilesState& files, std::string name) {
    namespace fs = std::filesystem;
    const std::string own = fs::path(name).extension().string();
    const std::vector<std::string> endings = parameter("window.save_ending").choices();
    if (!hasSnapshotExtension(name) && std::ranges::find(endings, own) == endings.end()) name += files.ending;
    std::error_code ignored;
    const bool here = files.folder.empty() || fs::path(files.folder) == fs::current_path(ignored);
    return here || name.find('/') != std::string::npos ? name : (fs::path(files.folder) / name).string();
}

void drawSaving(PanelContext& p) {
    const FilesState& files = p.state.files;
    p.widgets.section("Save");
    p.widgets.label(kSaveAs);
    std::string typed;
    if (p.widgets.field(kSaveAs, -1, files.proposed.c_str(), typed) && !typed.empty())
        invoke(p, "save", {pathOf(files, typed)});
    parameter(p, "window.save_ending");
    if (!files.proposed.empty() && p.widgets.button(kSaveNamed, 0)) invoke(p, "save", {pathOf(files, files.proposed)});
}

/// A file's name, shortened to leave room for its details, and the details.
void drawEntry(PanelContext& p, const Control& control, const FilesState::Entry& entry) {
    constexpr float kShare = 0.55f, kGap = 8;
    const float detail = kShare * ImGui::GetContentRegionMax().x, left = ImGui::GetCursorPosX();
    const float room = detail - left - kGap * p.widgets.scale();
    std::string name = entry.name;
    // Keep the end of a name, which has its number and its extension.
    const std::size_t end = std::min<std::size_t>(name.size(), 12);
    for (std::size_t cut = name.size() - end; cut > 0 && ImGui::CalcTextSize(name.c_str()).x > room;) {
        --cut;
        while (cut > 0 && (static_cast<unsigned char>(entry.name[cut]) & 0xc0) == 0x80) --cut;
        name = entry.name.substr(0, cut) + "..." + entry.name.substr(entry.name.size() - end);
    }
    ImGui::PushID(entry.path.c_str());
    if (ImGui::Selectable(name.c_str())) p.post({OpenFile{entry.path}});
    p.widgets.finish(control);
    ImGui::SameLine(detail);
    p.widgets.wrapped(palette::kMuted, entry.detail);
    ImGui::PopID();
}

/// Folders first, then files, newest first.
void drawFolder(PanelContext& p) {
    const FilesState& files = p.state.files;
    p.widgets.wrapped(palette::kMuted, files.folder);
    ImGui::BeginChild("list", ImVec2(0, kListHeight * p.widgets.scale()));
    const auto folder = [&](const std::string& name) {
        ImGui::PushID(name.c_str());
        if (ImGui::Selectable((name + "/").c_str())) invoke(p, "list-folder", {name});
        p.widgets.finish(kFolder);
        ImGui::PopID();
    };
    folder("..");
    for (const std::string& name : files.folders) folder(name);
    for (const FilesState::Entry& entry : files.entries) drawEntry(p, kEntry, entry);
    if (files.entries.empty() && !files.folder.empty())
        p.widgets.wrapped(palette::kMuted, "No snapshots in " + files.folder + ".");
    ImGui::EndChild();
}

void drawRecent(PanelContext& p) {
    const FilesState& files = p.state.files;
    if (files.recent.empty()) return;
    p.widgets.section("Lately");
    for (const FilesState::Entry& entry : files.recent) drawEntry(p, kRecent, entry);
}

}  // namespace

void drawFiles(PanelContext& p) {
    drawRecovery(p);
    const FilesState& files = p.state.files;
    if (!files.shown) return;
    const float s = p.widgets.scale();
    placePanel(ImVec2(0.5f * p.surface.x, 0.5f * (p.surface.y - kBottomHeight * s)), ImVec2(0.5f, 0.5f), kFilesWidth * s,
               p.surface.y - kBottomHeight * s);
    if (const PanelWindow window(p, "files", kFittedPanel, 1); window) {
        drawSaving(p);
        p.widgets.section("Open");
        p.widgets.label(kOpen);
        std::string typed;
        if (p.widgets.field(kOpen, -1, "", typed) && !typed.empty()) p.post({OpenFile{typed}});
        drawFolder(p);
        drawRecent(p);
        if (!files.busy.empty()) p.widgets.wrapped(palette::kMuted, files.busy);
        ImGui::Dummy(ImVec2(0, 2 * s));
        if (p.widgets.button(kCloseFiles, 0)) set(p, "window.files", false);
    }
}

}  // namespace gravlab
