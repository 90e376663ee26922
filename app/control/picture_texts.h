// What a picture or film says about itself. One writer: whatever makes them, they say the same.
#pragma once
#include "app/control/scene_file.h"

#include <string>

namespace gravlab {

/// The settings of the run, and the scene file for a picture at `path` where there can be one.
PictureTexts settingsTexts(const Document& document, const std::string& path);
/// The same of a picture of this moment: also its step and time.
PictureTexts pictureTexts(const Document& document, const std::string& path);

}  // namespace gravlab
