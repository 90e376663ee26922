// Bodies as populations of stars. `light` has three channels: red old stars, green stars of a disc, blue resolved objects;
// alpha: all light times the random numbers (`lot`) of its bodies. The deviation of their mean from the overall mean is a
// pattern that moves with the bodies. Summed over several widths, it breaks arms, lanes and gas into pieces (the weave).
// STAGE 0: light without the grain of single bodies: a level of the pyramid where it has enough bodies or differs by more
// than chance, else the coarser one. STAGE 1: where a disc is young, and where lanes of dust are; the light is smooth, so
// half the texels suffice. STAGE 2: the look: old stars are warm; young ones are blue where a disc is denser than its
// surroundings and has few old ones. Clusters make gas glow. Dust lies on the inner edge of arms, and in front of the light
// behind the near half of a disc. STAGE 3: with the glow. STAGE 4, before 1: directions of arms.
layout(binding = 0) uniform sampler2D level;    // STAGE 0: the input; 2: smooth, alpha: the weave; 3: the result of STAGE 2
layout(binding = 1) uniform sampler2D coarser;  // STAGE 0: smooth, one level up; 1, 2, 4: as wide as arms; 3: glow
layout(binding = 3) uniform sampler2D lanes;    // STAGE 1, 2: smooth, as wide as lanes of dust
layout(binding = 4) uniform sampler2D plan;     // STAGE 2: the result of STAGE 1: youth, dust, the disc, light relative to a usual one
layout(binding = 2) uniform sampler2D grain;    // STAGE 2: the first level, not smoothed
layout(binding = 5) uniform sampler2D clouds;   // STAGE 2: the level as wide as large clouds of gas, not smoothed
uniform float faintest;     // STAGE 2: light that is half visible
uniform float bodiesPerLight;  // bodies in a texel; STAGE 2: of the first level
uniform vec3 enough;           // bodies in a texel for its own light to count, and to count alone; of old stars alone
uniform float octave;          // weight of patterns of this level
uniform float counted;         // whether the level's own light is used
uniform int reach;             // radius in taps of a round kernel over `coarser`, which is then this level; 0: a tent over the next level
uniform mat3 colours;          // of the three channels
uniform float youth, dust, gas, resolved, nebula;
uniform float usual;        // light of the middle of a picture
layout(binding = 6) uniform sampler2D attitude; // STAGE 1, 2: inclination of discs, see attitude.frag
layout(binding = 7) uniform sampler2D flow;     // STAGE 1, 2: the result of STAGE 4: directions of arms
uniform vec2 step;          // STAGE 1, 2, 4: arm width as a fraction of the picture
uniform float glowWeight, glowScale;

/// A tent over three texels either way.
vec4 tent(sampler2D image, vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    return 0.25 * (textureLod(image, uv + texel * vec2(-0.5, -0.5), 0.0) + textureLod(image, uv + texel * vec2(0.5, -0.5), 0.0) +
                   textureLod(image, uv + texel * vec2(-0.5, 0.5), 0.0) + textureLod(image, uv + texel * vec2(0.5, 0.5), 0.0));
}

#if STAGE == 1 || STAGE == 2
/// The slope of a disc across the picture.
float tiltOf(vec4 lie) { return length(vec3(lie.xy, 6.0 * lie.w)); }

/// The direction of arms, where they have one. In a disc seen edge-on most structure runs along the disc.
vec2 alongArms(vec2 uv, vec4 lie) {
    vec2 side = vec2(lie.y * lie.y - lie.x * lie.x, -2.0 * lie.x * lie.y) / max(dot(lie.xy, lie.xy), 1e-12);  // of twice the angle
    vec2 twice = mix(tent(flow, uv).xy, side, 0.6 * smoothstep(5.0, 14.0, tiltOf(lie) * tiltOf(lie)));
    if (!(dot(twice, twice) > 1e-10)) return vec2(0.0);
    float angle = 0.5 * atan(twice.y, twice.x);
    return min(1.5 * length(twice), 1.0) * vec2(cos(angle), sin(angle));
}

/// Light two arms' widths away on all four sides.
struct Sides {
    vec3 right, left, above, beneath;
};
Sides sidesOf(vec2 uv) {
    vec2 far = 2.0 * step;
    return Sides(textureLod(coarser, uv + vec2(far.x, 0.0), 0.0).rgb, textureLod(coarser, uv - vec2(far.x, 0.0), 0.0).rgb,
                 textureLod(coarser, uv + vec2(0.0, far.y), 0.0).rgb, textureLod(coarser, uv - vec2(0.0, far.y), 0.0).rgb);
}

/// How much this resembles a stream: drawn out into an empty sky, from the outskirts of a disc, without old stars.
float tailAt(vec2 uv, Sides sides) {
    vec3 here = textureLod(coarser, uv, 0.0).rgb;
    float around = sides.right.g + sides.left.g + sides.above.g + sides.beneath.g;
    float aged = smoothstep(0.06, 0.4, here.r / max(here.r + here.g, 1e-20));
    return smoothstep(1.3, 1.85, 4.0 * here.g / max(around, 1e-20)) * (1.0 - aged);
}
#endif

#if STAGE == 0
vec4 roundly(vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(coarser, 0));
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            vec2 at = 0.5 * vec2(x, y);
            float weight = max(exp(-1.5 * dot(at, at)) - 0.02, 0.0);  // a step at the rim would show as a ring
            sum += weight * textureLod(coarser, uv + texel * at, 0.0).rgb;
            weights += weight;
        }
    return vec4(sum / weights, 0.0);  // no pattern is as wide as this
}

vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 wide = reach > 0 ? roundly(uv) : tent(coarser, uv), here = texelFetch(level, pixel, 0);
    float bodies = (wide.r + wide.g + wide.b) * bodiesPerLight;
    // Old stars have no arms to blur, but in discs they have as much detail as other stars.
    float alone = mix(enough.z, 1.5 * enough.y, smoothstep(0.05, 0.3, wide.g / max(wide.r + wide.g, 1e-20)));
    vec3 own = smoothstep(vec3(enough.x), vec3(alone, enough.yy), vec3(bodies));
    // A difference beyond chance is real: edges stay narrow, and no haze surrounds bright places. A tent spans some five
    // texels.
    vec3 near = tent(level, uv).rgb;
    vec2 expected = 5.0 * bodiesPerLight * wide.rg, more = 5.0 * bodiesPerLight * near.rg - expected;
    vec2 chance = max(0.4 * more, -1.6 * more) / sqrt(expected + 3.0);  // one bright star is not many
    wide.rg = mix(wide.rg, near.rg, youth * smoothstep(vec2(1.7), vec2(4.0), chance));
    own *= counted;
    // In units of the chance deviation of this number of bodies: half of 0.231, the deviation of even random numbers between
    // 0.1 and 0.9, because the light of a body covers several texels.
    float all = here.r + here.g + here.b, count = all * bodiesPerLight;
    float deviation = (here.a / max(all, 1e-20) - 0.5) * sqrt(count) / 0.115;
    float weave = wide.a + octave * smoothstep(0.5, 5.0, count) * clamp(deviation, -4.0, 4.0);
    return vec4(mix(wide.rgb, here.rgb, own), weave);
}
#elif STAGE == 1
float contrastAt(vec2 uv) { return tent(lanes, uv).g / max(tent(coarser, uv).g, 1e-20); }

vec4 developed(ivec2 pixel, vec2 uv) {
    vec3 around = tent(coarser, uv).rgb;
    vec4 narrow = tent(lanes, uv);
    float all = around.r + around.g;
    // The disc: brighter than a few escaping stars, and brighter than the bulge.
    float disc = smoothstep(0.015, 0.2, around.g / usual) * around.g / max(all, 1e-20);
    float contrast = narrow.g / max(around.g, 1e-20);
    // The inward direction is towards more light, over twice an arm's width; a shorter length would find the arm.
    Sides sides = sidesOf(uv);
    vec2 inwards = vec2(sides.right.r + sides.right.g - sides.left.r - sides.left.g,
                        sides.above.r + sides.above.g - sides.beneath.r - sides.beneath.g);
    inwards /= max(length(inwards), 1e-20);
    // Arms are long: a dense place includes the light ahead and behind it along the arm, so that arms end gradually.
    vec4 lie = tent(attitude, uv);
    vec2 along = step * alongArms(uv, lie);
    float ridge = 0.34 * contrast + 0.22 * (contrastAt(uv + 0.6 * along) + contrastAt(uv - 0.6 * along)) +
                  0.11 * (contrastAt(uv + 1.2 * along) + contrastAt(uv - 1.2 * along));
    // Discs grow from inside: places with many old stars have few young ones, and the fraction of young ones rises outwards.
    // A stream forms fewer stars.
    float outside = 1.0 - smoothstep(0.0, 0.75, around.r / max(all, 1e-20));
    float young = disc * smoothstep(0.75, 1.55, mix(ridge, contrast, 0.4)) * outside *
                  (1.5 - 1.2 * smoothstep(0.05, 1.6, around.g / usual)) * (1.0 - 0.5 * tailAt(uv, sides));
    // The distance of a lane from its arm varies, and the lane is broken.
    float uneven = clamp(narrow.a, -1.5, 1.5);
    vec2 outwards = uv - (0.42 + 0.1 * uneven) * step * inwards;
    // Sample by tents: bilinear steps of an arm's width would show as boxes about a bright centre.
    float lane = smoothstep(1.0, 1.55, contrastAt(outwards)) * smoothstep(2.0, 0.9, contrast) * clamp(0.85 - 0.35 * uneven, 0.25, 1.4);
    // In the near half of an inclined disc dust lies in front of the inner light. In the far half the light lies in front of
    // the dust.
    float tilted = tiltOf(lie), nearer = dot(inwards, lie.xy) / sqrt(1.0 + tilted * tilted);
    lane *= clamp(1.0 + 1.1 * nearer, 0.2, 2.0);
    float thin = clamp(1.0 + 0.9 * nearer, 0.1, 2.0);
    // Along an arm a line of sight has more light, but its stars are not younger.
    young *= 1.0 - 0.4 * smoothstep(1.0, 3.0, tilted) - 0.5 * smoothstep(3.0, 8.0, tilted);
    // Seen from the side, the lanes of the near half form one: below the ridge of the light, on the side of the eye.
    float side = 0.0, flatness = smoothstep(1.5, 3.6, tilted);
    if (flatness > 0.0) {
        // It is an arc of a ring: lowest in front of the middle, and nowhere straight.
        float low = (0.76 + 0.38 * smoothstep(0.3, 2.5, all / usual)) * (1.0 + 0.25 * narrow.a) / sqrt(1.0 + tilted * tilted);
        vec2 up = step * normalize(lie.xy + 1e-6), at = uv + low * step * lie.xy / tilted;
        vec2 top = tent(lanes, at).rg, over = tent(coarser, at + 0.7 * up).rg, under = tent(coarser, at - 0.7 * up).rg;
        float more = over.r + over.g, less = under.r + under.g, slope = (more - less) / max(more + less, 1e-20);
        float high = smoothstep(0.7, 1.2, 2.0 * (top.r + top.g) / max(more + less, 1e-20));
        side = 8.0 * flatness * exp(-(500.0 + 500.0 * lie.w) * slope * slope) * high * smoothstep(0.05, 0.3, around.g / usual);
    }
    lane *= disc * smoothstep(0.1, 0.4, around.g / max(all, 1e-20));  // the middle of old stars has no dust
    return vec4(youth * vec3(young, lane + side, disc * thin), (youth > 0.0 ? around.g : all + around.b) / usual);
}
#elif STAGE == 2
float square(float x) { return x * x; }

/// The finer pattern, stretched along arms because discs rotate, and more so along a disc seen from the side. Only a little:
/// a longer stretch would give stripes. Galaxies that pass through each other do not rotate as one disc.
float drawnOut(vec2 uv, vec4 attitude) {
    vec2 lie = attitude.xy;
    float turns = 1.0 - smoothstep(0.4, 0.9, attitude.z / sqrt(1.0 + dot(lie, lie)));
    vec2 along = turns * alongArms(uv, attitude);
    // An arc of a ring is shorter where the ring recedes from the eye.
    lie *= min(1.0, 1.6 / max(length(lie), 1e-6));
    float flatness = 1.0 + dot(lie, lie);
    along *= 0.045 * step * (flatness - square(dot(along, lie))) / sqrt(flatness);
    float sum = 0.0;
    for (int k = -5; k <= 5; ++k) {
        vec2 at = uv + float(k) * along;
        sum += textureLod(level, at, 0.0).a - textureLod(lanes, at, 0.0).a;  // different means would show the texels of `lanes`
    }
    float mean = mix(0.6, 1.0, turns) * sum / 11.0;
    return 0.8 * mean / sqrt(1.0 + 1.2 * mean * mean);
}

vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 finest = texelFetch(level, pixel, 0), planned = textureLod(plan, uv, 0.0);
    // Photographs end at some faintness; fewer than one body per width gives no light of its own.
    float all = finest.r + finest.g + finest.b;
    vec3 here = finest.rgb * square(all) / max(square(all) + square(faintest), 1e-30);
    // Old stars have no edges, because they move everywhere: some of their contrast is at least as wide as an arm.
    float middle = here.r / max(tent(coarser, uv).r, 1e-20);
    here.r *= pow(max(middle, 1e-20), -youth * (middle > 1.0 ? 0.15 : 0.55 * smoothstep(0.0, 0.3, middle)));
    // A bulge is steep: its outskirts take little of the picture, and its core is bright.
    here.r *= mix(1.0, pow(clamp(here.r / (4.2 * usual), 0.10, 2.2), 0.75), youth);
    // Faint light loses visibility, as on a print: streams get narrow and fade towards their ends instead of ending at a
    // border.
    here *= mix(1.0, pow(all / max(all + 0.08 * usual, 1e-20), 0.7), youth);
    // A stream has only the light of its stars, which came from outskirts.
    float tail = youth * tailAt(uv, sidesOf(uv));
    here *= pow(min(here.g / (0.5 * usual) + 0.02, 1.0), 0.6 * tail);
    // The finer patterns weigh more than those as wide as arms, which would show their texels as blocks.
    float weave = finest.a, coarse = tent(lanes, uv).a;
    vec4 how = textureLod(attitude, uv, 0.0);
    // The closer a disc is to edge-on, the more structures overlap, and the less each stands out.
    float steep = tiltOf(how) * tiltOf(how), drawn = drawnOut(uv, how) / sqrt(1.0 + 0.3 * steep);
    float own = 0.5 * (weave - coarse), fine = own / sqrt(1.0 + 0.7 * steep + own * own) + drawn;
    float young = planned.r * clamp(0.8 * exp(1.2 * fine + 0.3 * coarse), 0.12, 2.6), full = min(young, 1.0);
    // Clouds of dust have every depth, like turbulence, and are stretched along the arms.
    float filaments = clamp(exp(-0.3 * coarse - 2.6 * drawn), 0.08, 4.0);
    float thin = 0.4 * planned.b * max(filaments - 0.8, 0.0) * sqrt(min(here.g / usual, 1.5));
    float depth = dust * (planned.g * (0.2 + 0.7 * filaments) + thin);
    // Half of a disc lies in front of its dust; of the bulge, seen through the near half, less does.
    float before = mix(0.38, 0.05, smoothstep(1.0, 3.5, planned.g));
    vec3 passed = before + (1.0 - before) * exp(-depth * vec3(0.62, 1.04, 1.40));

    // When bodies are few, those with a high random number are clusters of stars, and those with a low one clouds of gas.
    // When they are many, their mean decides.
    vec4 single = tent(grain, uv);
    float sum = single.r + single.g + single.b, share = single.a / max(sum, 1e-20);
    float lot = (share - 0.5) * sqrt(max(4.0 * sum * bodiesPerLight, 1.0)) / 0.231;
    float peak = single.g / max(here.g, 1e-20);
    // Young stars are still in clusters: some of the chance variation stays in their light.
    float uneven = pow(clamp(peak, 0.05, 6.0), 0.8) * (0.35 + 2.6 * share * share * share);
    float crowd = full * here.g * peak / (1.0 + 0.35 * peak);
    float bright = crowd * square(clamp((lot - 0.8) / 0.9, 0.0, 1.4));
    float pink = crowd * square(clamp((-lot - 0.9) / 0.8, 0.0, 1.4));

    // Faint light of discs is cream between arms, where old stars are, and pale blue without them. A mixture of warm and
    // blue must not look greener than its components: their greens are below the mean of red and blue.
    float aged = max(smoothstep(0.03, 0.3, here.r / max(here.r + here.g, 1e-20)), smoothstep(0.03, 0.42, planned.a));
    vec3 outskirts = mix(vec3(0.68, 0.86, 1.40), vec3(1.0), max(aged, 1.0 - youth));
    outskirts = mix(outskirts, vec3(0.86, 0.93, 1.16), tail);
    vec3 hot = mix(vec3(0.38, 0.61, 1.15), vec3(0.58, 0.75, 1.08), smoothstep(0.15, 1.2, planned.a));
    // Bright light is paler, as old stars are where they are most crowded; so is the light of the outskirts, which have
    // fewer metals.
    vec3 old = mix(colours[0], vec3(1.06, 0.77, 0.47), youth * smoothstep(1.0, 0.0, here.r / usual));
    old = mix(old, vec3(1.16, 0.98, 0.86), youth * smoothstep(1.0, 5.0, here.r / usual));
    // Star clouds: smoothed light would be too even.
    here.g *= exp(youth * planned.b * 0.65 * fine);
    vec3 starlight = old * here.r * (1.0 - 0.3 * full) + colours[1] * outskirts * here.g * (1.0 - 0.5 * full) +
                     hot * (2.2 * young * here.g * uneven * (1.0 - 0.4 * tail)) + vec3(0.66, 0.82, 1.12) * (6.0 * bright) +
                     colours[2] * (mix(0.3, 0.06 + 0.24 * full, youth) * here.b);
    // Most clouds are small; only the brightest clusters illuminate distant gas.
    float lit = 1.3 * single.b + 3.5 * tent(clouds, uv).b;
    float glowing = gas * (1.0 - 0.7 * tail) * smoothstep(0.3, 1.1, young);
    vec3 knots = vec3(1.80, 0.31, 0.68) * (glowing * smoothstep(-1.0, 1.0, weave + coarse) *
                                           (lit / (1.0 + 0.4 * lit / usual) + 2.0 * pink));
    // Gas around a young cluster: pushed out of its middle, in filaments with bright rims and holes, lit by its bright
    // stars.
    float threads = exp(-3.5 * square(weave + 0.1)) * (0.15 + 0.85 * smoothstep(-0.9, 0.9, coarse - 0.4 * weave));
    float cavity = 1.0 - 0.6 * smoothstep(0.4, 2.0, planned.a);
    vec3 veil = mix(vec3(1.0, 0.30, 0.36), vec3(0.36, 0.52, 0.90), planned.a / (planned.a + 0.9)) *
                (nebula * 0.42 * usual * planned.a / (0.45 + planned.a) * smoothstep(0.0, 0.5, planned.a) * cavity *
                 clamp(exp(1.1 * weave + 0.5 * coarse) * (0.5 + threads) - 0.3, 0.0, 3.5));
    float seen = resolved * mix(1.0, 0.12 + 0.88 * smoothstep(0.1, 0.6, young), youth);
    // The middle of a cluster is brighter and paler than its single stars.
    starlight *= 1.0 + (1.0 - youth) * vec3(4.0, 4.3, 4.8) * smoothstep(0.4, 4.0, planned.a);
    return vec4((1.0 - resolved) * passed * starlight + knots * passed + veil, seen);
}
#elif STAGE == 4
// The direction of arms: across the steepest light, averaged over more than an arm's width. The angle is doubled, because
// opposite directions are equal.
vec4 developed(ivec2 pixel, vec2 uv) {
    vec3 steep = vec3(0.0);
    for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x) {
            vec2 at = 0.35 * vec2(x, y), here = uv + step * at, wide = 0.35 * step;
            vec2 right = textureLod(coarser, here + vec2(wide.x, 0.0), 0.0).rg, left = textureLod(coarser, here - vec2(wide.x, 0.0), 0.0).rg;
            vec2 above = textureLod(coarser, here + vec2(0.0, wide.y), 0.0).rg, under = textureLod(coarser, here - vec2(0.0, wide.y), 0.0).rg;
            vec2 slope = vec2(right.x + right.y - left.x - left.y, above.x + above.y - under.x - under.y) /
                         (right.x + right.y + left.x + left.y + 0.02 * usual);
            steep += exp(-1.2 * dot(at, at)) * vec3(slope * slope, slope.x * slope.y);
        }
    return vec4(vec2(steep.y - steep.x, -2.0 * steep.z) / max(steep.x + steep.y, 1e-4), 0.0, 0.0);
}
#else
vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 here = texelFetch(level, pixel, 0);
    return vec4(mix(here.rgb, textureLod(coarser, uv, 0.0).rgb * glowScale, glowWeight), here.a * (1.0 - glowWeight));
}
#endif
