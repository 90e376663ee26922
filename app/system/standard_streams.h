// The three standard streams, which may be closed, full or a pipe without a reader.
#pragma once

namespace gravlab {

/// Call it before any file is opened. It opens /dev/null when descriptor 0, 1 or 2 is closed, so that no file becomes the
/// standard error and receives messages. Closed pipes and file size limits become errors of the write and no longer end the
/// program.
void holdStandardStreams();

/// Call it at the end: flushes the standard output. Throws IoError when that fails.
void finishStandardOutput();

}  // namespace gravlab
