// The one place where drawing is waited for. Rule: only measurements may; a frame never does.
#pragma once

namespace gravlab {
/// Waits until OpenGL has done what it was told.
void finishDrawing();
}  // namespace gravlab
