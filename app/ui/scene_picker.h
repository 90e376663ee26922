// Pictures of all scenes to choose from: the state of the panel between frames. Rule: a picture is read and uploaded when
// first visible, and released with the OpenGL context.
#pragma once
#include "app/control/scene_groups.h"
#include "render/image_texture.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The picture of that scene as a PNG, made by docs/gallery/make.sh; empty when there is none.
std::string_view scenePicture(std::string_view file);

/// The words of a search, in small letters.
std::vector<std::string> wordsOf(std::string_view search);

/// The scenes of each group whose name, group or texts contain every word of `search`, in the order of menus.
struct ScenesOfGroup {
    SceneGroup group{};
    std::vector<const Scene*> scenes;
};
std::vector<ScenesOfGroup> scenesWith(std::string_view search);

/// The first scene with a word of `search` in its name, else the first scene; null when there is none.
const Scene* likeliestOf(const std::vector<ScenesOfGroup>& groups, std::string_view search);

/// Moves by keys in a grid of groups, each beginning a new line.
class SceneGrid {
public:
    SceneGrid(const std::vector<ScenesOfGroup>& groups, std::size_t columns);
    /// The scene at that distance in places and lines, within the grid; the first one when `from` is not in it.
    const Scene* moved(const Scene* from, int places, int lines) const;

private:
    std::vector<std::vector<const Scene*>> lines_;
};

class ScenePicker {
public:
    /// OpenGL's name of a scene's picture; 0: there is none. Needs the context current.
    unsigned picture(std::string_view scene);
    /// Releases the pictures, with the context still current.
    void dropPictures() { pictures_.clear(); }

    bool open = false;              ///< whether the last frame showed it
    bool follow = false;            ///< scroll the selected place into view
    std::string search;             ///< as typed
    const Scene* chosen = nullptr;  ///< scene selected by keys

private:
    std::map<std::string, std::unique_ptr<ImageTexture>, std::less<>> pictures_;  ///< null: not displayable
};

}  // namespace gravlab
