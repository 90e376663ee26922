#version 450 core
// The body nearest to a point of the picture: its distance in sixteenths of a pixel above its number.
layout(local_size_x = 256) in;
layout(std430, binding = 2) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 3) buffer Found { uint found; };
uniform mat4 clipFromWorld;
uniform vec2 cursor;    // pixels from the lower left corner
uniform vec2 viewport;
uniform float radius;   // pixels, below 16
uniform uint count;

void main() {
    uint step = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
        vec4 clip = clipFromWorld * vec4(bodies[i].xyz, 1.0);
        if (!(clip.w > 0.0)) continue;
        float away = distance((0.5 + 0.5 * clip.xy / clip.w) * viewport, cursor);
        if (!(away <= radius)) continue;
        atomicMin(found, uint(min(away * 15.9, 254.0)) << 24 | i);
    }
}
