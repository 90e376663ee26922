#version 450 core
// Adds every body to its cube of one level, if the cube one level above holds enough bodies.
layout(local_size_x = 256) in;
#include "density.glsl"
layout(std430, binding = 6) readonly buffer Masses { float masses[]; };
uniform int level;
uniform float unitsPerMass;

void main() {
    uint turn = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += turn) {
        if (!isPlace(bodies[i])) continue;
        vec3 position = bodies[i].xyz;
        if (level > 0) {
            Cell above;
            if (!findCell(level - 1, placeOf(level - 1, position), above) || above.count < halved) continue;
        }
        uvec2 hash = hashOf(level, placeOf(level, position));
        uint mass = uint(max(masses[i] * unitsPerMass, 0.0) + 0.5);
        for (uint probe = 0u; probe < kProbes; ++probe) {
            uint at = (hash.x + probe) & mask;
            uint key = cells[at].key;
            if (key == 0u) {
                key = atomicCompSwap(cells[at].key, 0u, hash.y);
                if (key == 0u) key = hash.y;
            }
            if (key != hash.y) continue;
            atomicAdd(cells[at].count, 1u);
            atomicAdd(cells[at].mass, mass);
            break;
        }
    }
}
