// Bodies as populations of stars. `light` has three channels: red old stars, green stars of a disc, blue what is resolved; alpha:
// all light times lots of its bodies. How far the mean lot of some bodies is from that of all is a pattern that goes with them
// wherever they go: its sizes, added up, break arms, lanes and gas into pieces (the weave).
// STAGE 0: light without the grain of single bodies: a level of the pyramid where it has enough of them, else the coarser
// one. STAGE 1: where a disc is young, where lanes of dust are: of smooth light, so in half as many texels. STAGE 2: what it would look
// like: old stars warm, young ones blue where a disc is denser than around, gas that they make glow, dust on the inner edge of arms.
// STAGE 3: with the glow.
uniform sampler2D level;    // STAGE 0: as it is; 2: smooth, alpha: the weave; 3: what STAGE 2 gave
uniform sampler2D coarser;  // STAGE 0: smooth, one level up; 1: as wide as arms; 3: glow
uniform sampler2D lanes;    // STAGE 1, 2: smooth, as wide as lanes of dust
uniform sampler2D plan;     // STAGE 2: what STAGE 1 gave: youth, dust, the disc, and light in that of a usual middle
uniform sampler2D grain;    // STAGE 2: the first level as it is
uniform float bodiesPerLight;  // in a texel
uniform vec3 enough;           // bodies in a texel from which its own light counts, and alone; of old stars alone
uniform float octave;          // weight of patterns of this level
uniform float counted;         // whether the level's own light counts at all
uniform int reach;             // of a round kernel over `coarser`, which is this level itself, in taps; 0: a tent over the one above
uniform mat3 colours;          // of the three channels
uniform float youth, dust, gas, resolved, nebula;
uniform float usual;        // light of the middle of a picture
uniform vec2 step;          // width of an arm in parts of the picture
uniform float glowWeight, glowScale;

/// A tent over three texels either way.
vec4 tent(sampler2D image, vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    return 0.25 * (textureLod(image, uv + texel * vec2(-0.5, -0.5), 0.0) + textureLod(image, uv + texel * vec2(0.5, -0.5), 0.0) +
                   textureLod(image, uv + texel * vec2(-0.5, 0.5), 0.0) + textureLod(image, uv + texel * vec2(0.5, 0.5), 0.0));
}

#if STAGE == 0
vec4 roundly(vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(coarser, 0));
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            vec2 at = 0.5 * vec2(x, y);
            float weight = exp(-1.5 * dot(at, at));
            sum += weight * textureLod(coarser, uv + texel * at, 0.0).rgb;
            weights += weight;
        }
    return vec4(sum / weights, 0.0);  // no pattern is that wide
}

vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 wide = reach > 0 ? roundly(uv) : tent(coarser, uv), here = texelFetch(level, pixel, 0);
    float bodies = (wide.r + wide.g + wide.b) * bodiesPerLight;
    // Old stars have no arms that could blur.
    vec3 own = counted * smoothstep(vec3(enough.x), enough.zyy, vec3(bodies));
    // In units of what chance makes of so many: half of 0.231, the deviation of even lots between 0.1 and 0.9, because the light
    // of a body is in several texels.
    float all = here.r + here.g + here.b, count = all * bodiesPerLight;
    float deviation = (here.a / max(all, 1e-20) - 0.5) * sqrt(count) / 0.115;
    float weave = wide.a + octave * smoothstep(0.5, 5.0, count) * clamp(deviation, -4.0, 4.0);
    return vec4(mix(wide.rgb, here.rgb, own), weave);
}
#elif STAGE == 1
vec4 developed(ivec2 pixel, vec2 uv) {
    vec3 around = tent(coarser, uv).rgb;
    float all = around.r + around.g;
    // Where the disc is: bright enough to be more than a few stars on their way out, and more than the bulge.
    float disc = smoothstep(0.02, 0.25, around.g / usual) * around.g / max(all, 1e-20);
    float contrast = tent(lanes, uv).g / max(around.g, 1e-20);
    // Inwards: towards more light, over twice an arm's width, lest it be towards the arm.
    vec2 far = 2.0 * step;
    vec3 right = textureLod(coarser, uv + vec2(far.x, 0.0), 0.0).rgb, left = textureLod(coarser, uv - vec2(far.x, 0.0), 0.0).rgb;
    vec3 above = textureLod(coarser, uv + vec2(0.0, far.y), 0.0).rgb, below = textureLod(coarser, uv - vec2(0.0, far.y), 0.0).rgb;
    vec2 inwards = vec2(right.r + right.g - left.r - left.g, above.r + above.g - below.r - below.g);
    inwards /= max(length(inwards), 1e-20);
    // Discs grow from inside: the inner ones are older. A stream that was drawn out into an empty sky stands alone, as an arm never
    // does, and forms fewer stars.
    float alone = around.g / max(0.25 * (right.g + left.g + above.g + below.g), 1e-20);
    float young = disc * clamp((contrast - 0.85) / 0.75, 0.0, 1.0) * (1.0 - 0.85 * smoothstep(0.35, 1.2, around.g / usual)) *
                  (1.0 - 0.8 * smoothstep(1.4, 2.0, alone));
    vec2 outwards = uv - 0.42 * step * inwards;
    // By tents: plain bilinear steps of an arm's width would show as boxes about a bright centre.
    float outer = tent(lanes, outwards).g / max(tent(coarser, outwards).g, 1e-20);
    float lane = smoothstep(1.0, 1.55, outer) * smoothstep(2.0, 0.9, contrast);
    return vec4(youth * vec3(young, disc * lane, disc), (youth > 0.0 ? around.g : all + around.b) / usual);
}
#elif STAGE == 2
float square(float x) { return x * x; }

vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 finest = texelFetch(level, pixel, 0), planned = textureLod(plan, uv, 0.0);
    vec3 here = finest.rgb;
    float weave = finest.a, young = planned.r * clamp(0.9 * exp(0.45 * weave), 0.25, 2.3), full = min(young, 1.0);
    // Where the pattern changes its sign there are threads, as fine as its finest part; here and there, by its coarser part.
    float threads = exp(-3.5 * square(weave + 0.1)) *
                    (0.15 + 0.85 * smoothstep(-0.9, 0.9, textureLod(lanes, uv, 0.0).a - 0.4 * weave));
    float depth = dust * (planned.g * (1.2 + 3.0 * threads) + planned.b * (0.15 + 0.8 * threads) * sqrt(here.g / usual));
    vec3 passed = 0.36 + 0.64 * exp(-depth * vec3(0.62, 1.0, 1.45));

    vec3 outskirts = mix(vec3(0.62, 0.88, 1.55), vec3(1.0), max(smoothstep(0.03, 0.9, planned.a), 1.0 - youth));
    vec3 starlight = colours[0] * here.r * (1.0 - 0.3 * full) + colours[1] * outskirts * here.g * (1.0 - 0.5 * full) +
                     vec3(0.32, 0.61, 1.30) * (2.1 * young * here.g) + colours[2] * (0.3 * here.b);
    vec3 knots = vec3(1.30, 0.24, 0.50) * (gas * 2.6 * smoothstep(0.45, 1.2, young) * (texelFetch(grain, pixel, 0).b + 0.8 * here.b));
    // Gas around a young cluster: lit by its bright stars, in threads and with holes.
    vec3 veil = mix(vec3(1.0, 0.34, 0.40), vec3(0.36, 0.52, 0.90), planned.a / (planned.a + 0.6)) *
                (nebula * 0.16 * usual * sqrt(planned.a) * smoothstep(0.0, 0.25, planned.a) * clamp(exp(0.7 * weave) - 0.35, 0.0, 3.0));
    float seen = resolved * mix(1.0, 0.3 + 0.7 * smoothstep(0.1, 0.6, young), youth);
    return vec4((1.0 - resolved) * passed * starlight + knots * passed + veil, seen);
}
#else
vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 here = texelFetch(level, pixel, 0);
    return vec4(mix(here.rgb, textureLod(coarser, uv, 0.0).rgb * glowScale, glowWeight), here.a * (1.0 - glowWeight));
}
#endif
