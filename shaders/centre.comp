#version 450 core
// The centre of all bodies, or of a galaxy: each invocation sums mass times position, and mass, over its bodies. With a
// radius, weights fall with the distance from a guess, so that escaping stars do not pull the centre along.
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 3) buffer Sums { vec4 sums[]; };
layout(std430, binding = 4) readonly buffer Tags { vec2 tags[]; };  // mass, galaxy
uniform vec3 guess;
uniform float radius;  // 0: all bodies weigh the same
uniform float galaxy;  // below 0: all bodies
uniform uint count;
uniform bool goesOn;  // bodies is a later piece of all: add to the existing sums

void main() {
    uint step = gl_NumWorkGroups.x * 64u;
    vec4 sum = goesOn ? sums[gl_GlobalInvocationID.x] : vec4(0.0);
    for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
        if (galaxy >= 0.0 && tags[i].y != galaxy) continue;
        vec3 away = bodies[i].xyz - guess;
        float weight = tags[i].x;
        if (radius > 0.0) {
            float near = 1.0 / (1.0 + dot(away, away) / (radius * radius));
            weight *= near * near;
        }
        if (weight > 0.0 && dot(away, away) < 3.0e38) sum += weight * vec4(away, 1.0);
    }
    sums[gl_GlobalInvocationID.x] = sum;
}
