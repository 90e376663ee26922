// Pictures of all scenes to choose from: what the panel remembers between frames. Rule: a picture is read and uploaded when
// it is first seen, and let go of with the OpenGL context.
#pragma once
#include "app/control/scene_groups.h"
#include "render/image_texture.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The picture of that scene as a PNG, made by docs/gallery/make.sh; empty: there is none.
std::string_view scenePicture(std::string_view file);

/// The scenes of each group whose name, group or texts have every word of `search` in them, in the order of menus.
struct ScenesOfGroup {
    SceneGroup group{};
    std::vector<const Scene*> scenes;
};
std::vector<ScenesOfGroup> scenesWith(std::string_view search);

/// The first of them, and before it the first that has a word of `search` in its name; null when there is none.
const Scene* likeliestOf(const std::vector<ScenesOfGroup>& groups, std::string_view search);

/// Where keys are in a grid of groups, each beginning a line of its own.
class SceneGrid {
public:
    SceneGrid(const std::vector<ScenesOfGroup>& groups, std::size_t columns);
    /// The scene that is so many places and lines farther; stays inside. Of a scene that is not there: the first one.
    const Scene* moved(const Scene* from, int places, int lines) const;

private:
    std::vector<std::vector<const Scene*>> lines_;
};

class ScenePicker {
public:
    /// OpenGL's name of a scene's picture; 0: there is none. Needs the context current.
    unsigned picture(std::string_view scene);
    /// With the context still current.
    void dropPictures() { pictures_.clear(); }

    bool open = false;              ///< it was shown in the last frame
    bool follow = false;            ///< the place of the keys comes into view
    std::string search;             ///< as typed
    const Scene* chosen = nullptr;  ///< where the keys are

private:
    std::map<std::string, std::unique_ptr<ImageTexture>, std::less<>> pictures_;  ///< null: it cannot be shown
};

}  // namespace gravlab
