// Scene files: scene, its numbers, camera and look as TOML, by itself or inside a picture's PNG.
// Rule: what reads it is strict, and names file, line and what is allowed; a machine's own settings are never in it.
#pragma once
#include "app/model/options.h"

#include <functional>
#include <string>
#include <string_view>

namespace gravlab {

struct Document;

/// The keyword of the PNG text chunk that holds a scene file.
inline constexpr const char* kSceneFileKey = "gravlab:scene-file";

/// True for FILE.toml and FILE.png.
bool isSceneFile(std::string_view path);

/// The document's scene, numbers, camera and look, as a scene file.
std::string sceneFileText(const Document& document);

/// Puts what the text says into options; what the command line has given stays. Throws InputError.
void takeSceneText(std::string_view text, const std::string& name, Options& options);

/// The text of a scene file, or the one that a picture carries. Throws InputError for what is neither, IoError.
std::string sceneTextOf(const std::string& path);

/// The same for a file. Throws InputError, IoError when reading fails.
Options withSceneFile(const Options& options);

/// What an open document opens a scene file with: its own machine settings, and nothing else of what it runs.
Options sceneBase(const Document& document);
/// Starts the scene that was opened, with its camera, look and twin. `takesUp` as Controller has it. A refusal is the
/// document's message, changes nothing and gives false.
bool takeScene(Document& document, const Options& scene, const std::function<bool()>& takesUp);

/// Writes the document's scene file. Throws IoError.
void writeSceneFile(const std::string& path, const Document& document);

}  // namespace gravlab
