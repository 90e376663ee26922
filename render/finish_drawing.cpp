// Waiting for OpenGL.
#include "render/finish_drawing.h"

namespace gravlab {
void finishDrawing() { glFinish(); }
}  // namespace gravlab
