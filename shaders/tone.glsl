// Light to screen: exposure, a curve that keeps hue, sRGB, and dither where there is light.
// plate: logarithmic like a photographic plate (and like the asinh stretch of astronomical pictures: Lupton et al. 2004,
// PASP 116, 133): faint arms show beside a core a thousand times brighter.
// aces: the rational curve that follows the ACES reference (K. Narkowicz 2015), on luminance.
// agx: the idea of T. Sobotka's AgX (2022): less saturated primaries, a logistic curve over the logarithm of light.
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2D glow;  // PHOTOGRAPH: the combined light, and how much bodies are visible alone
uniform float exposure;
uniform bool autoExposure;
uniform float glowWeight;
uniform float glowScale;   // one over the number of summed levels
uniform bool coarse;       // the combined light has few texels: none of them may show as a square
layout(std430, binding = 0) readonly buffer Exposure { float measured; };

#if CURVE == 4
uniform float paperInk;    // onPaper() of white
#endif
#if PHOTOGRAPH
uniform mat3 colours;      // of the picture's three channels
uniform vec3 points;       // fraction of each channel that is visible as points
#endif

const float kRange = 120.0;      // light that reaches white, relative to the light that would without a curve
const float kFilmLight = 0.22;   // scales the mid tones of the film curves to those of the plate
const vec3 kLuminance = vec3(0.2126, 0.7152, 0.0722);

float plate(float light) {
    const float softness = 4.0;  // slope at black; larger lifts the faint end
    float x = light * softness;
    return log(1.0 + x) / log(1.0 + kRange * softness);
}

float film(float light) {
    float x = kFilmLight * light;
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

/// Negatives and slides: a toe that keeps the sky dark, a logarithmic range, then a shoulder.
float slide(float light) {
    const float softness = 4.0, range = 60.0;
    float x = log(1.0 + softness * light) / log(1.0 + softness * range);
    return min(x * (x + 0.05) / (0.8 * x + 0.25), 1.0);
}

/// Columns sum to one, so white stays white.
const float kFade = 0.13;

vec3 agx(vec3 light) {
    vec3 x = kFilmLight * light;
    x = mix(x, vec3(x.r + x.g + x.b) / 3.0, kFade);
    const float kDarkest = -12.47393, kBrightest = 4.026069;  // shown range in powers of two
    vec3 part = clamp((log2(max(x, 1e-10)) - kDarkest) / (kBrightest - kDarkest), 1e-4, 1.0 - 1e-4);
    // Logistic in the odds of `part`: middle grey stays at its place, slope 2 there.
    vec3 odds = part / (1.0 - part);
    vec3 y = 1.0 / (1.0 + 3.04 * pow(odds, vec3(-2.2)));
    y = pow(y, vec3(2.2));  // the curve is in the screen's encoding
    vec3 back = (y - kFade * vec3(y.r + y.g + y.b) / 3.0) / (1.0 - kFade);
    return max(back, 0.0) * smoothstep(0.0, 0.002, max(light.r, max(light.g, light.b)));  // keep black black
}

float noise(vec2 pixel) {  // even over any small neighbourhood, so no grain is visible (interleaved gradient noise, J. Jimenez 2014)
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

vec3 srgb(vec3 light) {
    return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
}

/// Keeps the hue; light beyond the range of the screen fades to white, as in film.
vec3 withHue(vec3 light, float bright, float shown) {
    vec3 mapped = light * (shown / max(bright, 1e-8));
    float peak = max(mapped.r, max(mapped.g, mapped.b));
    return mix(mapped, vec3(shown), smoothstep(0.6, 1.8, peak));
}

/// Triangular noise of one step of the screen, zero at both ends: black stays black, white stays white.
vec3 dithered(vec3 screen, ivec2 pixel) {
    float dither = noise(vec2(pixel) + 0.5) - noise(vec2(pixel) + 17.5);
    return screen + dither / 255.0 * clamp(255.0 * min(screen, 1.0 - screen), 0.0, 1.0);
}

/// Of a coarse picture a cubic B-spline, which is round, by four taps (C. Sigg, M. Hadwiger 2005).
vec4 glowAt(vec2 uv) {
    if (!coarse) return textureLod(glow, uv, 0.0);
    vec2 size = vec2(textureSize(glow, 0)), at = uv * size - 0.5, f = fract(at), r = 1.0 - f;
    vec2 first = (r * r * r + 4.0 - 3.0 * f * f * (2.0 - f)) / 6.0, last = 1.0 - first;
    vec2 low = (floor(at) + 0.5 - r * r * r / 6.0 / first) / size, high = (floor(at) + 1.5 + f * f * f / 6.0 / last) / size;
    return mix(mix(textureLod(glow, low, 0.0), textureLod(glow, vec2(high.x, low.y), 0.0), last.x),
               mix(textureLod(glow, vec2(low.x, high.y), 0.0), textureLod(glow, high, 0.0), last.x), last.y);
}

/// Light of a pixel before exposure. PHOTOGRAPH (1 galaxies, 2 clusters): see photograph.glsl.
vec3 lightAt(ivec2 pixel, vec2 uv) {
    vec3 light = texelFetch(image, pixel, 0).rgb;
#if PHOTOGRAPH
#if GLOW
    vec4 together = glowAt(uv);
#if PHOTOGRAPH == 2
    return together.rgb + together.a * (colours * (light * points));
#else
    // Points have the colour of the light around them.
    float seen = together.a * dot(light, points) / max(dot(together.rgb, kLuminance), 1e-6);
    return together.rgb * (1.0 + seen);
#endif
#else
    return colours * light;
#endif
#elif GLOW
    return mix(light, textureLod(glow, uv, 0.0).rgb * glowScale, glowWeight);
#else
    return light;
#endif
}

// CURVE: 0 plate, 1 aces, 2 agx, 3 slide, 4 dark on a white page. GLOW: 1 with bloom.
vec4 screenAt(ivec2 pixel, vec2 uv) {
    vec3 light = lightAt(pixel, uv) * (autoExposure ? exposure * measured : exposure);
    float bright = dot(light, kLuminance);
#if CURVE == 4 && !PHOTOGRAPH
    // Ink in the mean colour of the bodies, as in the legend; dense places are darker.
    vec4 counted = texelFetch(image, pixel, 0);
    float ink = plate(counted.a * (autoExposure ? exposure * measured : exposure));
    vec3 tint = counted.rgb / max(counted.a, 1e-20) * (paperInk * mix(1.0, 0.35, smoothstep(0.55, 1.0, ink)));
    vec3 mapped = mix(vec3(1.0), tint, clamp(4.0 * ink, 0.0, 1.0));
#elif CURVE == 4
    // A print of the photograph: density grows with the logarithm of light, least in the colour of the light, without an
    // edge.
    float ink = plate(bright);
    vec3 hue = light / max(max(light.r, max(light.g, light.b)), 1e-8);
    vec3 mapped = exp(-4.0 * ink * (1.1 - 0.85 * hue));
#elif CURVE == 3
    vec3 mapped = withHue(light, bright, slide(bright));
#elif CURVE == 2
    vec3 mapped = agx(light);
#elif CURVE == 1
    vec3 mapped = withHue(light, bright, film(bright));
#else
    vec3 mapped = withHue(light, bright, plate(bright));
#endif
    return vec4(dithered(srgb(clamp(mapped, 0.0, 1.0)), pixel), 1.0);
}
