#version 450 core
// Small sprites without the rasteriser: one thread adds one body to sums of whole numbers, so the order does not matter.
// Fractions of a unit are rounded at random with a hash of the body, so faint bodies keep their light on average. Sprites
// too large for one thread are listed and drawn as point sprites. With very many bodies each adds its light to its own
// pixel, or, if wider, to four random pixels of its sprite. A later pass smooths these sums once per picture.
layout(local_size_x = 256) in;
#include "body_light.glsl"
#include "profile.glsl"
layout(std430, binding = 3) restrict buffer Points { uint points[]; };  // as sums, for a picture one pixel wider on each side
layout(std430, binding = 4) readonly buffer Bodies { vec4 bodies[]; };
layout(std430, binding = 5) readonly buffer Traits { vec2 traits[]; };
layout(std430, binding = 6) restrict buffer Sums { uint sums[]; };  // red, green, blue and alpha, by pixel
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
            uint at = 4u * uint(y * size.x + x);
            if (whole.r > 0u) atomicAdd(sums[at], whole.r);
            if (whole.g > 0u) atomicAdd(sums[at + 1u], whole.g);
            if (whole.b > 0u) atomicAdd(sums[at + 2u], whole.b);
            if (whole.a > 0u) atomicAdd(sums[at + 3u], whole.a);
        }
}

float share(uint lot) { return (float(lot >> 8) + 0.5) / 16777216.0; }

/// Four places have the sprite's profile as their density, which contains the fraction 1 - (1 - d^2)^4 within d radii. Its
/// integral is pi / 4 squared radii.
void addPoints(uint i, Sprite sprite, vec2 centre) {
    bool one = sprite.radius <= pointSum;
    vec4 units = sprite.light * (unitsPerLight * 0.78539816 * sprite.radius * sprite.radius * (one ? 1.0 : 0.25));
    uint lot = mixed(i + 0x9e3779b9u);
    for (uint k = 0u; k < (one ? 1u : 4u); ++k) {
        vec2 at = centre;
        if (!one) {
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
        uint to = 4u * uint(pixel.y * (size.x + 2) + pixel.x);
        if (whole.r > 0u) atomicAdd(points[to], whole.r);
        if (whole.g > 0u) atomicAdd(points[to + 1u], whole.g);
        if (whole.b > 0u) atomicAdd(points[to + 2u], whole.b);
        if (whole.a > 0u) atomicAdd(points[to + 3u], whole.a);
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
