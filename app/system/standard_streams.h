// The three streams that a program is given, which may be closed, full or a pipe that nobody reads.
#pragma once

namespace gravlab {

/// Before any file is opened: opens /dev/null where descriptor 0, 1 or 2 is closed, so that the first file does not become
/// the standard error and get messages written into it. Closed pipes and file size limits become errors of the write that
/// meets them and no longer end the program.
void holdStandardStreams();

/// At the end: brings what was printed out. Throws IoError when some of it could not be.
void finishStandardOutput();

}  // namespace gravlab
