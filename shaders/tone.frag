#version 450 core
// Light to screen: exposure, a curve that keeps hue, sRGB, and dither where there is light.
// The curve is logarithmic like a photographic plate (and like the asinh stretch of astronomical pictures: Lupton et al.
// 2004, PASP 116, 133): faint arms show beside a core a thousand times brighter.
in vec2 uv;
uniform sampler2D image;
uniform sampler2D glow;
uniform float exposure;
uniform float glowWeight;  // 0: no bloom
uniform float glowScale;   // one over the number of levels that were added up
layout(location = 0) out vec4 colour;

const float kRange = 120.0;  // light that reaches white, in units of the light that would without a curve

float curve(float light) {
    const float softness = 4.0;  // slope at black; larger lifts the faint end
    float x = light * softness;
    return log(1.0 + x) / log(1.0 + kRange * softness);
}

float noise(vec2 pixel) {  // even over any small neighbourhood, so it never shows as grain (interleaved gradient noise, J. Jimenez 2014)
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

vec3 srgb(vec3 light) {
    return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
}

void main() {
    vec3 light = texelFetch(image, ivec2(gl_FragCoord.xy), 0).rgb;
    if (glowWeight > 0.0) light = mix(light, texture(glow, uv).rgb * glowScale, glowWeight);
    light *= exposure;
    float bright = dot(light, vec3(0.2126, 0.7152, 0.0722));
    float shown = curve(bright);
    vec3 mapped = light * (shown / max(bright, 1e-8));
    // What the screen cannot show at this brightness goes towards white, as film does, instead of being cut off.
    float peak = max(mapped.r, max(mapped.g, mapped.b));
    float white = smoothstep(0.6, 1.8, peak);
    mapped = mix(mapped, vec3(shown), white);
    vec3 screen = srgb(clamp(mapped, 0.0, 1.0));
    // Triangular noise of one step of the screen, gone at both ends: black stays black, white stays white.
    float dither = noise(gl_FragCoord.xy) - noise(gl_FragCoord.xy + 17.0);
    vec3 room = clamp(255.0 * min(screen, 1.0 - screen), 0.0, 1.0);
    colour = vec4(screen + dither / 255.0 * room, 1.0);
}
