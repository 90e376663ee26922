#version 450 core
// Small sprites without the rasteriser: one thread adds one body to sums of whole numbers, so the order does not matter.
// Fractions of a unit are rounded at random with a hash of the body, so faint bodies keep their light on average. Sprites
// too large for one thread are listed and drawn as point sprites. With very many bodies each adds its light to its own
// pixel, or, if wider, to two to four random pixels of its sprite. A later pass smooths these sums once per picture.
// These additions take most of the time of a picture of many bodies. PAIRED_SUMS: one of 64 bits adds two channels; no sum
// of 32 bits overflows into the next.
#ifdef PAIRED_SUMS
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_NV_shader_atomic_int64 : require
#define PAIR int64_t
#else
#define PAIR uint
#endif
layout(local_size_x = 256) in;
#include "body_light.glsl"
#include "profile.glsl"
layout(std430, binding = 3) restrict buffer Points { PAIR points[]; };  // as sums, for a picture one pixel wider on each side
layout(std430, binding = 4) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 5) readonly buffer Traits { vec2 traits[]; };
layout(std430, binding = 6) restrict buffer Sums { PAIR sums[]; };  // red, green, blue and alpha, by pixel
layout(std430, binding = 7) restrict buffer Large {
    uint largeCount, instances, firstIndex, baseVertex, baseInstance;  // of an indirect draw
    uint large[];
};
uniform bool withTraits;
uniform uint first;           // index of bodies[0] among all bodies
uniform uint skipped, every;  // bodies before the first drawn one, and the distance between drawn ones
uniform uint count;           // bodies to draw
uniform bool asPoints;
uniform float pointSum;       // radius up to which one pixel suffices [px]
uniform ivec2 size;           // of the picture [px]
uniform float unitsPerLight;
uniform float largestSum;     // radius of the largest summed sprite [px]

shared uint listed, listAt;

uint mixed(uint x) {  // every bit depends on every bit (the finalizer of MurmurHash3, A. Appleby)
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

// A macro, because GLSL cannot pass a buffer to a function.
#ifdef PAIRED_SUMS
#define ADD(buffer, pixel, whole)                                                                                \
    if ((whole.r | whole.g) > 0u) atomicAdd(buffer[2u * (pixel)], int64_t(packUint2x32(whole.rg)));      \
    if ((whole.b | whole.a) > 0u) atomicAdd(buffer[2u * (pixel) + 1u], int64_t(packUint2x32(whole.ba)));
#else
#define ADD(buffer, pixel, whole)                                         \
    if (whole.r > 0u) atomicAdd(buffer[4u * (pixel)], whole.r);           \
    if (whole.g > 0u) atomicAdd(buffer[4u * (pixel) + 1u], whole.g);      \
    if (whole.b > 0u) atomicAdd(buffer[4u * (pixel) + 2u], whole.b);      \
    if (whole.a > 0u) atomicAdd(buffer[4u * (pixel) + 3u], whole.a);
#endif

void add(uint i, Sprite sprite, vec2 centre) {
    ivec2 low = max(ivec2(ceil(centre - sprite.radius - 0.5)), ivec2(0));
    ivec2 high = min(ivec2(floor(centre + sprite.radius - 0.5)), size - 1);
    float perRadius = 1.0 / sprite.radius;
    vec4 units = sprite.light * unitsPerLight;
    uint lot = mixed(i + 0x9e3779b9u);
    for (int y = low.y; y <= high.y; ++y)
        for (int x = low.x; x <= high.x; ++x) {
            float part = profile((vec2(x, y) + 0.5 - centre) * perRadius);
            if (!(part > 0.0)) continue;
            lot = mixed(lot);
            // One random number for all channels keeps grey grey.
            uvec4 whole = uvec4(units * part + (float(lot >> 8) + 0.5) / 16777216.0);
            ADD(sums, uint(y * size.x + x), whole)
        }
}

float share(uint lot) { return (float(lot >> 8) + 0.5) / 16777216.0; }

/// One place for each pixel that the sprite is worth, at most four. Random places have the sprite's profile as their density,
/// which contains the fraction 1 - (1 - d^2)^4 within d radii. Its integral is pi / 4 squared radii.
void addPoints(uint i, Sprite sprite, vec2 centre) {
    float area = sprite.radius * sprite.radius, pixels = area / (pointSum * pointSum);
    uint places = uint(clamp(ceil(pixels), 1.0, 4.0));
    vec4 units = sprite.light * (unitsPerLight * 0.78539816 * area / float(places));
    uint lot = mixed(i + 0x9e3779b9u);
    for (uint k = 0u; k < places; ++k) {
        vec2 at = centre;
        if (places > 1u) {
            lot = mixed(lot + 0x9e3779b9u);
            float away = sprite.radius * sqrt(1.0 - sqrt(sqrt(share(lot))));
            lot = mixed(lot + 0x9e3779b9u);
            float angle = 6.28318531 * share(lot);
            at += away * vec2(cos(angle), sin(angle));
        }
        ivec2 pixel = ivec2(floor(at)) + 1;
        if (any(lessThan(pixel, ivec2(0))) || any(greaterThan(pixel, size + 1))) continue;
        lot = mixed(lot + 0x9e3779b9u);
        uvec4 whole = uvec4(units + share(lot));
        ADD(points, uint(pixel.y * (size.x + 2) + pixel.x), whole)
    }
}

void main() {
    // Barriers below: all threads of the group need the same number of iterations.
    for (uint from = gl_WorkGroupID.x * 256u; from < count; from += gl_NumWorkGroups.x * 256u) {
        uint drawn = from + gl_LocalInvocationIndex, i = skipped + every * drawn;
        Sprite sprite;
        bool isLarge = false;
        if (drawn < count && spriteOf(bodies[i], withTraits ? traits[i] : vec2(0.0, 1.0), sprite)) {
            vec2 place = sprite.clip.xy / sprite.clip.w;
            vec2 centre = (0.5 + 0.5 * place) * vec2(size);
            bool inDepth = abs(sprite.clip.z) <= sprite.clip.w;
            bool inPicture = all(greaterThan(centre + sprite.radius, vec2(0.0))) &&
                             all(lessThan(centre - sprite.radius, vec2(size)));
            bool bright = sprite.light.r > 0.0 || sprite.light.g > 0.0 || sprite.light.b > 0.0;
            if (inDepth && inPicture && bright) {
                isLarge = sprite.radius > largestSum;
                if (!isLarge && asPoints) addPoints(first + i, sprite, centre);
                if (!isLarge && !asPoints) add(first + i, sprite, centre);
            }
        }
        if (gl_LocalInvocationIndex == 0u) listed = 0u;
        barrier();
        uint mine = isLarge ? atomicAdd(listed, 1u) : 0u;
        barrier();
        if (gl_LocalInvocationIndex == 0u && listed > 0u) listAt = atomicAdd(largeCount, listed);
        barrier();
        if (isLarge) large[listAt + mine] = first + i;
        barrier();
    }
}
