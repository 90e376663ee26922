// Scene files: scene, its numbers, camera and look as TOML, in a file of its own or inside a picture's PNG.
// Rule: the reader is strict, and names file, line and allowed values. Settings of the machine are never in the file.
#pragma once
#include "app/files/file_jobs.h"
#include "app/model/start_options.h"

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

/// Why no scene file is possible: the bodies are in no file. Empty: it is possible.
Reason noSceneFile(const Document& document);

/// The document's scene, numbers, camera and look, as a scene file. `path` is the future path: the name of a file with
/// bodies is relative to it, or to the current folder without it.
std::string sceneFileText(const Document& document, const std::string& path = {});
/// Adds the scene file to the texts of a picture at `path`, where one is possible.
void addSceneFile(PictureTexts& texts, const Document& document, const std::string& path);

/// Copies the settings of the text to the options; settings of the command line take precedence. Throws InputError.
void takeSceneText(std::string_view text, const std::string& name, StartOptions& options);

/// The text of a scene file, or the text inside a picture. Throws InputError for any other file, IoError.
std::string sceneTextOf(const std::string& path);

/// The options combined with the scene file that they name. Throws InputError, and IoError when reading fails.
StartOptions withSceneFile(const StartOptions& options);

/// Base options for a scene file in an open document: the document's machine settings, and none of its run.
StartOptions sceneBase(const Document& document);
/// Starts the opened scene, with its camera, look and twin. `applyIntent` is as for takeStart(). A refusal sets the
/// document's message, changes nothing and returns false.
bool takeScene(Document& document, const StartOptions& scene, const std::function<bool(bool again)>& applyIntent);

/// The job that writes the document's present scene file. Throws UsageError where none is possible.
FileJob sceneFile(const Document& document, const std::string& path);

/// The settings of the run, and the scene file for a picture at `path` where one is possible.
PictureTexts settingsTexts(const Document& document, const std::string& path);
/// Step and time of this moment.
PictureTexts momentTexts(const Document& document);
/// All of these texts.
PictureTexts pictureTexts(const Document& document, const std::string& path);

}  // namespace gravlab
