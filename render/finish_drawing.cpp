// Waiting for OpenGL.
#include "render/finish_drawing.h"

#include "render/gl_objects.h"

namespace gravlab {
void finishDrawing() { glFinish(); }
}  // namespace gravlab
