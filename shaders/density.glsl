// Cubes of space in a hash table: number and mass of the bodies in each. A cube is halved into eight of the next level only
// when it holds enough bodies, so the table stays small and the cubes are fine where bodies are dense.
struct Cell {
    uint key;    // 0: free
    uint count;
    uint mass;   // in units of a fraction of all mass
    uint unused;
};
layout(std430, binding = 4) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 5) restrict buffer Cells { Cell cells[]; };
uniform uint count;      // of bodies in this piece
uniform uint halved;     // least bodies in a cube that is halved
uniform uint mask;       // number of cells less one, a power of two
uniform float coarsest;  // side of the largest cubes [L]

const uint kProbes = 64u;

float sideOf(int level) { return coarsest * exp2(-float(level)); }

uint mixed(uint x) {  // the finalizer of MurmurHash3 (A. Appleby)
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

uvec2 hashOf(int level, ivec3 place) {  // the index in the table, and the key
    uint h = mixed(uint(level) + 1u);
    h = mixed(h ^ uint(place.x));
    h = mixed(h + 0x9e3779b9u ^ uint(place.y));
    h = mixed(h + 0x7f4a7c15u ^ uint(place.z));
    return uvec2(h & mask, max(mixed(h ^ uint(place.x) * 0x85ebca6bu ^ uint(place.z) * 0x27d4eb2fu), 1u));
}

ivec3 placeOf(int level, vec3 position) { return ivec3(floor(clamp(position / sideOf(level), -1e9, 1e9))); }

bool findCell(int level, ivec3 place, out Cell found) {
    uvec2 hash = hashOf(level, place);
    for (uint probe = 0u; probe < kProbes; ++probe) {
        uint at = (hash.x + probe) & mask;
        uint key = cells[at].key;
        if (key == 0u) return false;
        if (key == hash.y) {
            found = cells[at];
            return true;
        }
    }
    return false;
}

bool isPlace(vec4 body) { return !any(isnan(body.xyz)) && !any(isinf(body.xyz)); }
