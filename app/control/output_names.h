// Compares the output files of the options with each other and with the input files.
// Rule: names are compared as the files that they lead to, before any computation.
#pragma once
#include "app/model/options.h"

#include <string>
#include <vector>

namespace gravlab {

/// An option and its file, or its pattern for numbered files.
struct OutputName {
    std::string option, file;
    bool numbered = false;  ///< `file` has one %d and stands for all of its numbers
};
/// The outputs that the options name.
std::vector<OutputName> outputNames(const Options& options);

/// Throws UsageError where two outputs are one file.
void refuseOneFileTwice(const Options& options);
/// Throws UsageError where an output is one of these input files; empty names and "-" are ignored. Only a checkpoint may
/// continue in its own file.
void refuseToReplace(const std::vector<std::string>& read, const Options& options);
/// Checks all files that were read so far in the same way, such as the other files of a snapshot.
void refuseToReplaceRead(const Options& options);

}  // namespace gravlab
