#version 450 core
// The body at a point of the picture: the front one of those under it, else the nearest. Each invocation keeps the best of
// its own bodies; the host chooses among these.
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 3) buffer Found { uvec4 found[]; };  // pixels beyond "under", depth, index
uniform mat4 clipFromWorld;
uniform vec2 cursor;    // pixels from the lower left corner
uniform vec2 viewport;
uniform float radius;   // pixels
uniform float under;    // pixels; closer bodies are all under the cursor
uniform uint first;     // index of bodies[0] among all bodies; above 0 the results are merged with the existing ones
uniform uint count;

void main() {
    uint step = gl_NumWorkGroups.x * 64u;
    float bestAway = 3.4e38, bestDepth = 3.4e38;
    uint best = 0xffffffffu;
    if (first > 0u) {
        uvec4 known = found[gl_GlobalInvocationID.x];
        bestAway = uintBitsToFloat(known.x);
        bestDepth = uintBitsToFloat(known.y);
        best = known.z;
    }
    for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
        vec4 clip = clipFromWorld * vec4(bodies[i].xyz, 1.0);
        if (!(clip.w > 0.0) || clip.z < -clip.w) continue;
        float away = distance((0.5 + 0.5 * clip.xy / clip.w) * viewport, cursor);
        if (!(away <= radius)) continue;
        away = max(away - under, 0.0);
        if (away > bestAway || (away == bestAway && clip.z >= bestDepth)) continue;
        bestAway = away;
        bestDepth = clip.z;
        best = first + i;
    }
    found[gl_GlobalInvocationID.x] = uvec4(floatBitsToUint(bestAway), floatBitsToUint(bestDepth), best, 0u);
}
