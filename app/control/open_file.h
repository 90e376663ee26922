// Files on the command line and dropped on the window: from a path to settings that a run starts with.
#pragma once
#include "app/model/options.h"
#include "sim/forces/force_settings.h"
#include "sim/io/checkpoint.h"
#include "sim/io/snapshot.h"

#include <functional>
#include <string>

namespace gravlab {

struct Document;
struct KernelRow;

/// Which of the two numbers of a tree turns a kernel, if any.
bool goesByAccuracy(const KernelRow& row);
bool goesByOpening(const KernelRow& row);

/// Throws UsageError where a softening was asked for and none acts under that law.
void requireSoftened(bool asked, Law law);

/// True when the text of the first argument means a file: there is one of that name, or it is written as only files are
/// (a folder in front, an extension of ours, "-").
bool meansFile(const std::string& text);

/// Reads a file and makes a start of it; the file is named by its last part. Waits for the disk. Throws as readSnapshot
/// does.
/// `stays`: the file will be there when a scene file names it.
LoadedStart openStart(const std::string& path, const ReadOptions& options, bool stays = true);

/// Makes the runs what the document's intent asks for, as Host::apply() does.
using TakeUp = std::function<bool(bool again)>;
/// An open document goes on from what was read, with what is known of this machine. A refusal is the document's message,
/// changes nothing and gives false.
bool takeStart(Document& document, LoadedStart start, const TakeUp& takesUp);

/// How the file of the bodies on screen is read again, its numbers in that row of unitSystems().
ReadOptions againIn(const Document& document, const std::string& units);

/// The options with the file that they name taken up: a checkpoint's own settings, except for those that options set.
/// Notes go to stderr. The same options when they name no file.
Options withFile(const Options& options);

}  // namespace gravlab
