// What options name to be written, held against each other and against what is read. Rule: names are compared as the files
// that they lead to, before anything is computed.
#pragma once
#include "app/model/options.h"

#include <string>
#include <vector>

namespace gravlab {

/// An option and the file that it names, or the names of numbered files.
struct OutputName {
    std::string option, file;
    bool numbered = false;  ///< `file` has one %d and stands for all of its numbers
};
/// Those of the options that name one.
std::vector<OutputName> outputNames(const Options& options);

/// Throws UsageError where two outputs are one file.
void refuseOneFileTwice(const Options& options);
/// Throws UsageError where an output is one of these files, which are read; empty names and "-" are none. A checkpoint
/// alone may go on in its own file.
void refuseToReplace(const std::vector<std::string>& read, const Options& options);
/// The same of all files that were read so far, such as the other parts of a snapshot.
void refuseToReplaceRead(const Options& options);

}  // namespace gravlab
