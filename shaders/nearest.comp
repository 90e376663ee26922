#version 450 core
// The bodies nearest to one of them. Each invocation keeps the nearest of its own bodies; the host chooses among these.
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 3) buffer Found { uvec2 found[]; };  // distance squared, index; KEPT per invocation
layout(std430, binding = 4) readonly buffer Here { vec4 self; };
uniform uint me;
uniform uint first;  // index of bodies[0] among all bodies; above 0 the results are merged with the existing ones
uniform uint count;

const uint KEPT = 6u;

void main() {
    float away[KEPT];
    uint body[KEPT];
    uint at = gl_GlobalInvocationID.x * KEPT;
    for (uint k = 0u; k < KEPT; ++k) {
        uvec2 known = first > 0u ? found[at + k] : uvec2(floatBitsToUint(3.4e38), 0xffffffffu);
        away[k] = uintBitsToFloat(known.x);
        body[k] = known.y;
    }
    vec3 here = self.xyz;
    uint step = gl_NumWorkGroups.x * 64u;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
        vec3 way = bodies[i].xyz - here;
        float d = dot(way, way);
        if (first + i == me || !(d < away[KEPT - 1u])) continue;
        uint place = KEPT - 1u;
        for (; place > 0u && d < away[place - 1u]; --place) {
            away[place] = away[place - 1u];
            body[place] = body[place - 1u];
        }
        away[place] = d;
        body[place] = first + i;
    }
    for (uint k = 0u; k < KEPT; ++k) found[at + k] = uvec2(floatBitsToUint(away[k]), body[k]);
}
