// Bodies as populations of stars. `light` has three channels: red old stars, green stars of a disc, blue what is resolved.
// STAGE 0: light without the grain of single bodies: a level of the pyramid where it has enough of them, else the coarser
// one. STAGE 1: what it would look like: old stars warm, young ones blue where a disc is denser than around, gas that they
// make glow, dust on the inner edge of arms. STAGE 2: with the glow.
uniform sampler2D level;    // STAGE 0: as it is; 1: smooth; 2: what STAGE 1 gave
uniform sampler2D coarser;  // STAGE 0: smooth, one level up; 1: as wide as arms; 2: glow
uniform sampler2D grain;    // STAGE 1: the first level as it is
uniform sampler2D lanes;    // STAGE 1: smooth, as wide as lanes of dust
uniform float bodiesPerLight;  // in a texel
uniform vec3 enough;           // bodies in a texel from which its own light counts, and alone; of an edge the same
uniform mat3 colours;          // of the three channels
uniform float youth, dust, gas, resolved;
uniform float usual;        // light of the middle of a picture
uniform vec2 step;          // width of an arm in parts of the picture
uniform float glowWeight, glowScale;

/// A tent over three texels either way.
vec3 tent(sampler2D image, vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    return 0.25 * (textureLod(image, uv + texel * vec2(-0.5, -0.5), 0.0).rgb + textureLod(image, uv + texel * vec2(0.5, -0.5), 0.0).rgb +
                   textureLod(image, uv + texel * vec2(-0.5, 0.5), 0.0).rgb + textureLod(image, uv + texel * vec2(0.5, 0.5), 0.0).rgb);
}

#if STAGE == 0
vec4 developed(ivec2 pixel, vec2 uv) {
    vec3 wide = tent(coarser, uv), here = texelFetch(level, pixel, 0).rgb;
    float bodies = (wide.r + wide.g + wide.b) * bodiesPerLight;
    return vec4(mix(wide, here, smoothstep(enough.x, enough.y, bodies)), 1.0);
}
#elif STAGE == 1
vec4 developed(ivec2 pixel, vec2 uv) {
    vec3 here = texelFetch(level, pixel, 0).rgb;
    vec3 around = tent(coarser, uv);
    float all = around.r + around.g;
    // Where the disc is: bright enough to be more than a few stars on their way out, and more than the bulge.
    float disc = smoothstep(0.02, 0.25, around.g / usual) * around.g / max(all, 1e-20);
    float contrast = tent(lanes, uv).g / max(around.g, 1e-20);
    // Discs grow from inside: the inner ones are older.
    float young = youth * disc * clamp((contrast - 0.85) / 0.75, 0.0, 1.4) * (1.0 - 0.85 * smoothstep(0.8, 2.4, around.g / usual));
    // Inwards: towards more light, over twice an arm's width, lest it be towards the arm.
    vec2 far = 2.0 * step;
    vec3 right = textureLod(coarser, uv + vec2(far.x, 0.0), 0.0).rgb - textureLod(coarser, uv - vec2(far.x, 0.0), 0.0).rgb;
    vec3 up = textureLod(coarser, uv + vec2(0.0, far.y), 0.0).rgb - textureLod(coarser, uv - vec2(0.0, far.y), 0.0).rgb;
    vec2 inwards = vec2(right.r + right.g, up.r + up.g);
    inwards /= max(length(inwards), 1e-20);
    vec2 outwards = uv - 0.42 * step * inwards;
    // By tents: plain bilinear steps of an arm's width would show as boxes about a bright centre.
    float outer = tent(lanes, outwards).g / max(tent(coarser, outwards).g, 1e-20);
    float lane = smoothstep(1.0, 1.55, outer) * smoothstep(2.0, 0.9, contrast);
    float depth = dust * youth * disc * (2.6 * lane + 0.4 * sqrt(here.g / usual));
    vec3 passed = 0.25 + 0.75 * exp(-depth * vec3(0.62, 1.0, 1.45));

    vec3 outskirts = mix(vec3(0.72, 0.92, 1.35), vec3(1.0), smoothstep(0.03, 0.9, around.g / usual));
    vec3 starlight = colours[0] * here.r + colours[1] * outskirts * here.g * (1.0 - 0.35 * young) +
                     vec3(0.30, 0.58, 1.35) * (1.7 * young * here.g) + colours[2] * (0.3 * here.b);
    vec3 knots = vec3(1.30, 0.24, 0.46) * (gas * 2.0 * smoothstep(0.35, 1.1, young) * texelFetch(grain, pixel, 0).b);
    return vec4((1.0 - resolved) * passed * starlight + knots * passed, resolved);
}
#else
vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 here = texelFetch(level, pixel, 0);
    return vec4(mix(here.rgb, textureLod(coarser, uv, 0.0).rgb * glowScale, glowWeight), here.a * (1.0 - glowWeight));
}
#endif
