// The only function that waits for drawing. Rule: only measurements call it; a frame never does.
#pragma once

namespace gravlab {
/// Waits until OpenGL has finished all commands.
void finishDrawing();
}  // namespace gravlab
