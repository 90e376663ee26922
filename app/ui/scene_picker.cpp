// The search of scenes, moves by keys among them, and their pictures.
#include "app/ui/scene_picker.h"

#include "app/system/picture.h"
#include "sim/core/text.h"

#include <algorithm>
#include <sstream>

namespace gravlab {
namespace {

/// Packed RGBA for textures.
std::vector<std::uint8_t> withAlpha(const Picture& picture) {
    std::vector<std::uint8_t> rgba;
    rgba.reserve(picture.rgb.size() / 3 * 4);
    for (std::size_t i = 0; i + 2 < picture.rgb.size(); i += 3)
        rgba.insert(rgba.end(), {picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2], 255});
    return rgba;
}

}  // namespace

std::vector<std::string> wordsOf(std::string_view search) {
    std::vector<std::string> words;
    std::istringstream stream(inLowerCase(search));
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

std::vector<ScenesOfGroup> scenesWith(std::string_view search) {
    const std::vector<std::string> words = wordsOf(search);
    std::vector<ScenesOfGroup> found;
    for (const SceneGroup group : kSceneGroups) {
        ScenesOfGroup one{group, {}};
        for (std::size_t place = 0; const Scene* scene = sceneOf(group, place); ++place) {
            std::string text(scene->name);
            for (const std::string_view more : {scene->idea, scene->caption, labelOf(group)})
                text += " " + std::string(more);
            text = inLowerCase(text);
            const auto has = [&](const std::string& word) { return text.find(word) != std::string::npos; };
            if (std::all_of(words.begin(), words.end(), has)) one.scenes.push_back(scene);
        }
        if (!one.scenes.empty()) found.push_back(std::move(one));
    }
    return found;
}

const Scene* likeliestOf(const std::vector<ScenesOfGroup>& groups, std::string_view search) {
    const std::vector<std::string> words = wordsOf(search);
    for (const ScenesOfGroup& group : groups)
        for (const Scene* scene : group.scenes)
            for (const std::string& word : words)
                if (scene->name.find(word) != std::string_view::npos) return scene;
    return groups.empty() ? nullptr : groups.front().scenes.front();
}

SceneGrid::SceneGrid(const std::vector<ScenesOfGroup>& groups, std::size_t columns) {
    for (const ScenesOfGroup& group : groups)
        for (std::size_t i = 0; i < group.scenes.size(); ++i) {
            if (i % columns == 0) lines_.emplace_back();
            lines_.back().push_back(group.scenes[i]);
        }
}

const Scene* SceneGrid::moved(const Scene* from, int places, int lines) const {
    std::vector<const Scene*> all;
    for (const auto& line : lines_) all.insert(all.end(), line.begin(), line.end());
    if (all.empty()) return nullptr;
    const auto found = std::find(all.begin(), all.end(), from);
    if (found == all.end()) return all.front();
    const auto clamped = [](std::ptrdiff_t place, std::size_t count) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, static_cast<std::ptrdiff_t>(count) - 1));
    };
    from = all[clamped(found - all.begin() + places, all.size())];
    if (lines == 0) return from;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const auto at = std::find(lines_[i].begin(), lines_[i].end(), from);
        if (at == lines_[i].end()) continue;
        const auto& line = lines_[clamped(static_cast<std::ptrdiff_t>(i) + lines, lines_.size())];
        return line[clamped(at - lines_[i].begin(), line.size())];
    }
    return from;
}

unsigned ScenePicker::picture(std::string_view scene) {
    const auto known = pictures_.find(scene);
    if (known != pictures_.end()) return known->second ? known->second->id() : 0;
    std::unique_ptr<ImageTexture>& texture = pictures_[std::string(scene)];
    const std::string name = std::string(scene) + ".png";
    const std::string_view file = scenePicture(name);
    if (file.empty()) return 0;
    const Picture picture = decodePng(file, name);
    texture = std::make_unique<ImageTexture>(true);
    texture->update(picture.width, picture.height, withAlpha(picture));
    return texture->id();
}

}  // namespace gravlab
