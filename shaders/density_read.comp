#version 450 core
// Density around every body: from the smallest cube with enough bodies in it and its neighbours, weighted by distance.
layout(local_size_x = 256) in;
#include "density.glsl"
layout(std430, binding = 6) restrict buffer Traits { vec2 traits[]; };  // value, fraction of light
uniform int levels;
uniform float massPerUnit;
uniform uint enough;  // least bodies in a cube for an estimate

/// Mass in a cube, or its fraction of a larger cube that was not halved.
float massIn(int level, ivec3 place) {
    Cell cell;
    float part = 1.0;
    for (int at = level; at >= 0; --at) {
        if (findCell(at, place, cell)) return at < level && cell.count >= halved ? 0.0 : part * float(cell.mass);
        place >>= 1;
        part *= 0.125;
    }
    return 0.0;
}

void main() {
    uint turn = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += turn) {
        if (!isPlace(bodies[i])) {
            traits[i].x = 0.0;
            continue;
        }
        vec3 position = bodies[i].xyz;
        int level = 0;
        for (int next = 1; next < levels; ++next) {
            Cell cell;
            if (!findCell(next, placeOf(next, position), cell) || cell.count < enough) break;
            level = next;
        }
        float side = sideOf(level);
        vec3 at = position / side - 0.5;
        ivec3 low = ivec3(floor(clamp(at, -1e9, 1e9)));
        vec3 far = at - vec3(low);
        float mass = 0.0;
        for (int corner = 0; corner < 8; ++corner) {
            ivec3 step = ivec3(corner & 1, corner >> 1 & 1, corner >> 2);
            vec3 weight = mix(1.0 - far, far, vec3(step));
            mass += weight.x * weight.y * weight.z * massIn(level, low + step);
        }
        traits[i].x = mass * massPerUnit / (side * side * side);
    }
}
