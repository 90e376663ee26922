// Position, size and brightness of a body, for sprites and sums. Light is conserved: a body smaller than the smallest sprite
// is drawn at that size and dimmer.
uniform mat4 clipFromWorld;
uniform float radiusScale;    // sprite radius [px] times depth [L]
uniform vec2 radiusLimits;    // smallest and largest sprite radius [px]
uniform float nearDepth;      // [L]: bodies closer to the eye fade out, so that none covers the picture
uniform vec2 valueRange;      // values (or their logarithms) that map to the ends of the colour map
uniform bool logarithmic;
uniform bool useTraits;
uniform float darkLight;
uniform float brightness;
uniform sampler2D colours;    // one row; alpha: see spriteOf()
uniform bool woven;           // alpha of light: times the body's random number, which is its place within the band of its population
uniform bool counted;         // alpha of light: that of a white body, which gives the covered fraction of a white page
uniform float growth;         // light above which images of stars grow, as on a plate; 0: none

// Radius of a celestial body relative to other bodies, so that planets close to a star stay separate in a close view.
const float celestialRadius = 0.06;

struct Sprite {
    vec4 clip;
    float radius;  // [px]
    vec4 light;    // of its centre
};

/// False: behind the eye, or NaN.
bool spriteOf(vec4 body, vec2 trait, out Sprite sprite) {
    sprite.clip = clipFromWorld * vec4(body.xyz, 1.0);
    if (!(sprite.clip.w > 0.0) || isinf(sprite.clip.w)) return false;
    float value = useTraits ? trait.x : body.w;
    if (logarithmic) value = log2(max(value, 1e-37));
    float place = clamp((value - valueRange.x) / (valueRange.y - valueRange.x), 0.0, 1.0);
    float row = (place * 255.0 + 0.5) / 256.0;
    vec4 colour = textureLod(colours, vec2(row, 0.5), 0.0);
    // An alpha below 0 marks a celestial body of that size: it keeps its size on screen at any distance, like a symbol on a
    // map.
    bool celestial = colour.a < 0.0;
    float smallest = radiusLimits.x * abs(colour.a);
    float radius = radiusScale / sprite.clip.w * (celestial ? -colour.a * celestialRadius : 1.0);
    sprite.radius = clamp(radius, smallest, max(radiusLimits.y, smallest));
    float kept = celestial ? 1.0 : min(radius / smallest, 1.0);

    float share = trait.y < 0.0 ? -trait.y * darkLight : trait.y;
    float spread = growth > 0.0 ? clamp(pow(brightness * share * kept * kept / growth, 0.25), 1.0, 2.2) : 1.0;
    sprite.radius *= spread;
    kept /= spread;
    float white = brightness * share * kept * kept * smoothstep(0.0, nearDepth, sprite.clip.w);
    vec3 light = colour.rgb * white;
    sprite.light = vec4(light, woven ? (light.r + light.g + light.b) * fract(8.0 * place) : counted ? white : 0.0);
    return true;
}
