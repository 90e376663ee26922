// Scene files: scene, its numbers, camera and look as TOML, by itself or inside a picture's PNG.
// Rule: what reads it is strict, and names file, line and what is allowed; a machine's own settings are never in it.
#pragma once
#include "app/model/options.h"
#include "app/system/file_jobs.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace gravlab {

struct Document;
using PictureTexts = std::map<std::string, std::string>;

/// The keyword of the PNG text chunk that holds a scene file.
inline constexpr const char* kSceneFileKey = "gravlab:scene-file";

/// True for FILE.toml and FILE.png.
bool isSceneFile(std::string_view path);

/// Why there can be no scene file of it: its bodies are in no file. Empty: there can.
Reason noSceneFile(const Document& document);

/// The document's scene, numbers, camera and look, as a scene file; `path` is where it will be, which a file with bodies is
/// named from. Without it, the current folder.
std::string sceneFileText(const Document& document, const std::string& path = {});
/// The same into a picture at `path`, where there can be one.
void addSceneFile(PictureTexts& texts, const Document& document, const std::string& path);

/// Puts what the text says into options; what the command line has given stays. Throws InputError.
void takeSceneText(std::string_view text, const std::string& name, Options& options);

/// The text of a scene file, or the one that a picture carries. Throws InputError for what is neither, IoError.
std::string sceneTextOf(const std::string& path);

/// The same for a file. Throws InputError, IoError when reading fails.
Options withSceneFile(const Options& options);

/// What an open document opens a scene file with: its own machine settings, and nothing else of what it runs.
Options sceneBase(const Document& document);
/// Starts the scene that was opened, with its camera, look and twin. `takesUp` as takeStart() has it. A refusal is the
/// document's message, changes nothing and gives false.
bool takeScene(Document& document, const Options& scene, const std::function<bool(bool again)>& takesUp);

/// Writes the document's scene file, as it is now. Throws UsageError where there can be none.
FileJob sceneFile(const Document& document, const std::string& path);

}  // namespace gravlab
