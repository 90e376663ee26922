// Files that the command line names or that are dropped on the window: from a path to the settings of a run, and the
// comparison of output files with each other and with the input files.
// Rule: names are compared as the files that they lead to, before any computation.
#pragma once
#include "app/model/start_options.h"
#include "sim/api/law.h"
#include "sim/io/checkpoint.h"
#include "sim/io/snapshot.h"

#include <functional>
#include <string>
#include <vector>

namespace gravlab {

/// Throws UsageError where two outputs are one file.
void refuseOneFileTwice(const StartOptions& options);
/// Throws UsageError where an output is one of these input files; empty names and "-" are ignored. Only a checkpoint may
/// continue in its own file.
void refuseToReplace(const std::vector<std::string>& read, const StartOptions& options);
/// Checks all files that were read so far in the same way, such as the other files of a snapshot.
void refuseToReplaceRead(const StartOptions& options);

struct Document;
struct KernelRow;

/// Whether that number of a tree controls the kernel: the accuracy, or the opening angle.
bool goesByAccuracy(const KernelRow& row);
bool goesByOpening(const KernelRow& row);

/// Throws UsageError where the options give a softening length that has no effect under that law.
void requireSoftened(bool given, Law law);

/// True when the text of the first argument means a file. Such a file exists, or the text looks like one (a folder in front,
/// an extension of gravlab, "-").
bool meansFile(const std::string& text);

/// Reads a file as a start, which has the last component of the path as its name. Waits for the disk. Throws as readSnapshot
/// does.
/// `stays`: the file will still exist when a scene file names it.
LoadedStart openStart(const std::string& path, const ReadOptions& options, bool stays = true);

/// Builds the runs that the document's intent describes, as Host::apply() does.
using ApplyIntent = std::function<bool(bool again)>;
/// Continues an open document from the start, with the known tuning of this machine. A refusal sets the document's message,
/// changes nothing and returns false.
bool takeStart(Document& document, LoadedStart start, const ApplyIntent& applyIntent);

/// Options to read the file of the present bodies again, with its numbers in that row of unitSystems().
ReadOptions againIn(const Document& document, const std::string& units);

/// The options combined with the file that they name. A checkpoint's own settings apply, except for those that the options
/// set. Notes go to stderr. Without a file, the options are unchanged.
StartOptions withFile(const StartOptions& options);

}  // namespace gravlab
