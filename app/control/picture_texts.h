// Texts inside pictures and films. One writer makes them, so every picture and film has the same texts.
#pragma once
#include "app/control/scene_file.h"

#include <string>

namespace gravlab {

/// The settings of the run, and the scene file for a picture at `path` where one is possible.
PictureTexts settingsTexts(const Document& document, const std::string& path);
/// The same texts for a picture of this moment, with its step and time.
PictureTexts pictureTexts(const Document& document, const std::string& path);

}  // namespace gravlab
