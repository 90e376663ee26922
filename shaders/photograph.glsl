// Bodies as populations of stars. `light` has three channels: red old stars, green stars of a disc, blue what is resolved; alpha:
// all light times lots of its bodies. How far the mean lot of some bodies is from that of all is a pattern that goes with them
// wherever they go: its sizes, added up, break arms, lanes and gas into pieces (the weave).
// STAGE 0: light without the grain of single bodies: a level of the pyramid where it has enough of them or differs by more than
// chance, else the coarser one. STAGE 1: where a disc is young, where lanes of dust are: of smooth light, so in half as many
// texels. STAGE 2: what it would look like: old stars warm, young ones blue where a disc is denser than around and has few old
// ones, clusters and gas that they make glow, dust on the inner edge of arms and before what is behind the near half of a disc.
// STAGE 3: with the glow. STAGE 4, before 1: where arms run.
uniform sampler2D level;    // STAGE 0: as it is; 2: smooth, alpha: the weave; 3: what STAGE 2 gave
uniform sampler2D coarser;  // STAGE 0: smooth, one level up; 1, 2, 4: as wide as arms; 3: glow
uniform sampler2D lanes;    // STAGE 1, 2: smooth, as wide as lanes of dust
uniform sampler2D plan;     // STAGE 2: what STAGE 1 gave: youth, dust, the disc, and light in that of a usual middle
uniform sampler2D grain;    // STAGE 2: the first level as it is
uniform sampler2D clouds;   // STAGE 2: the level as wide as large clouds of gas, as it is
uniform float faintest;     // STAGE 2: light that is half seen
uniform float bodiesPerLight;  // in a texel; STAGE 2: of the first level
uniform vec3 enough;           // bodies in a texel from which its own light counts, and alone; of old stars alone
uniform float octave;          // weight of patterns of this level
uniform float counted;         // whether the level's own light counts at all
uniform int reach;             // of a round kernel over `coarser`, which is this level itself, in taps; 0: a tent over the one above
uniform mat3 colours;          // of the three channels
uniform float youth, dust, gas, resolved, nebula;
uniform float usual;        // light of the middle of a picture
uniform sampler2D attitude; // STAGE 1, 2: how discs lie, see attitude.frag
uniform sampler2D flow;     // STAGE 1, 2: what STAGE 4 gave: where arms run
uniform float below;        // STAGE 1: how far out on the near half of a disc from the side its lane is, in arms
uniform vec2 step;          // STAGE 1, 2, 4: width of an arm in parts of the picture
uniform float glowWeight, glowScale;

/// A tent over three texels either way.
vec4 tent(sampler2D image, vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    return 0.25 * (textureLod(image, uv + texel * vec2(-0.5, -0.5), 0.0) + textureLod(image, uv + texel * vec2(0.5, -0.5), 0.0) +
                   textureLod(image, uv + texel * vec2(-0.5, 0.5), 0.0) + textureLod(image, uv + texel * vec2(0.5, 0.5), 0.0));
}

#if STAGE == 1 || STAGE == 2
/// As long as arms have a direction there. Of what is seen from the side most runs along it.
vec2 alongArms(vec2 uv, vec2 lie) {
    float tilt = max(dot(lie, lie), 1e-12);
    vec2 side = vec2(lie.y * lie.y - lie.x * lie.x, -2.0 * lie.x * lie.y) / tilt;  // of an angle twice as large
    vec2 twice = mix(tent(flow, uv).xy, side, 0.6 * smoothstep(5.0, 14.0, tilt));
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

/// How much of a stream this is: drawn out into an empty sky, and of the outskirts of a disc, where there are no old stars.
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
            float weight = max(exp(-1.5 * dot(at, at)) - 0.02, 0.0);  // no step at the rim: it would show as a ring
            sum += weight * textureLod(coarser, uv + texel * at, 0.0).rgb;
            weights += weight;
        }
    return vec4(sum / weights, 0.0);  // no pattern is that wide
}

vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 wide = reach > 0 ? roundly(uv) : tent(coarser, uv), here = texelFetch(level, pixel, 0);
    float bodies = (wide.r + wide.g + wide.b) * bodiesPerLight;
    // Old stars have no arms that could blur, but in discs they have as much detail as the rest.
    float alone = mix(enough.z, 1.5 * enough.y, smoothstep(0.05, 0.3, wide.g / max(wide.r + wide.g, 1e-20)));
    vec3 own = smoothstep(vec3(enough.x), vec3(alone, enough.yy), vec3(bodies));
    // What chance would hardly make of so few is there: edges stay narrow, and no haze lies beside what is bright. A tent is some
    // five texels.
    vec3 near = tent(level, uv).rgb;
    vec2 expected = 5.0 * bodiesPerLight * wide.rg, more = 5.0 * bodiesPerLight * near.rg - expected;
    vec2 chance = max(0.4 * more, -1.6 * more) / sqrt(expected + 3.0);  // one bright star is not many
    wide.rg = mix(wide.rg, near.rg, youth * smoothstep(vec2(1.7), vec2(4.0), chance));
    own *= counted;
    // In units of what chance makes of so many: half of 0.231, the deviation of even lots between 0.1 and 0.9, because the light
    // of a body is in several texels.
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
    // Where the disc is: bright enough to be more than a few stars on their way out, and more than the bulge.
    float disc = smoothstep(0.015, 0.2, around.g / usual) * around.g / max(all, 1e-20);
    float contrast = narrow.g / max(around.g, 1e-20);
    // Inwards: towards more light, over twice an arm's width, lest it be towards the arm.
    Sides sides = sidesOf(uv);
    vec2 inwards = vec2(sides.right.r + sides.right.g - sides.left.r - sides.left.g,
                        sides.above.r + sides.above.g - sides.beneath.r - sides.beneath.g);
    inwards /= max(length(inwards), 1e-20);
    // Arms are long: what is dense counts with what is before and behind it along the arm, so that none ends at once.
    vec4 lie = tent(attitude, uv);
    vec2 along = step * alongArms(uv, lie.xy);
    float ridge = 0.34 * contrast + 0.22 * (contrastAt(uv + 0.6 * along) + contrastAt(uv - 0.6 * along)) +
                  0.11 * (contrastAt(uv + 1.2 * along) + contrastAt(uv - 1.2 * along));
    // Discs grow from inside: where old stars are many there are few young ones, and more of them outwards. A stream forms fewer.
    float outside = 1.0 - smoothstep(0.0, 0.75, around.r / max(all, 1e-20));
    float young = disc * smoothstep(0.75, 1.55, mix(ridge, contrast, 0.4)) * outside *
                  (1.5 - 1.2 * smoothstep(0.05, 1.6, around.g / usual)) * (1.0 - 0.5 * tailAt(uv, sides));
    // A lane is nearer to its arm here and farther from it there, and broken.
    float uneven = clamp(narrow.a, -1.5, 1.5);
    vec2 outwards = uv - (0.42 + 0.1 * uneven) * step * inwards;
    // By tents: plain bilinear steps of an arm's width would show as boxes about a bright centre.
    float lane = smoothstep(1.0, 1.55, contrastAt(outwards)) * smoothstep(2.0, 0.9, contrast) * clamp(0.85 - 0.35 * uneven, 0.25, 1.4);
    // Of an inclined disc the near half has its dust before the light of all that is inside of it; of the far half that light
    // is before the dust.
    float tilted = length(lie.xy), nearer = dot(inwards, lie.xy) / sqrt(1.0 + tilted * tilted);
    lane *= clamp(1.0 + 1.1 * nearer, 0.2, 2.0);
    float thin = clamp(1.0 + 0.9 * nearer, 0.1, 2.0);
    // Where a line of sight is along an arm its light is more, and its stars are none the younger.
    young *= 1.0 - 0.4 * smoothstep(1.0, 3.0, tilted);
    // From the side the lanes of the near half are one: below the ridge of the light, towards the eye.
    float side = 0.0, flatness = smoothstep(1.0, 3.4, tilted);
    if (flatness > 0.0) {
        // A part of a ring: lowest before the middle, and nowhere straight.
        float low = (0.15 + 0.85 * smoothstep(0.3, 2.5, all / usual)) * (1.0 + 0.25 * narrow.a) / sqrt(1.0 + tilted * tilted);
        vec2 up = step * lie.xy / tilted, at = uv + below * low * up;
        vec2 top = tent(lanes, at).rg, over = tent(coarser, at + 0.7 * up).rg, under = tent(coarser, at - 0.7 * up).rg;
        float more = over.r + over.g, less = under.r + under.g, slope = (more - less) / max(more + less, 1e-20);
        float high = smoothstep(0.9, 1.5, 2.0 * (top.r + top.g) / max(more + less, 1e-20));
        side = 2.6 * flatness * exp(-110.0 * slope * slope) * high * smoothstep(0.05, 0.3, around.g / usual);
    }
    lane *= disc * smoothstep(0.1, 0.4, around.g / max(all, 1e-20));  // old middles have no dust
    return vec4(youth * vec3(young, lane + side, disc * thin), (youth > 0.0 ? around.g : all + around.b) / usual);
}
#elif STAGE == 2
float square(float x) { return x * x; }

/// The finer part of the pattern, drawn out along arms, as what turns is, and more along a disc that is seen from the side. Only
/// a little: longer, it would be stripes. What is no disc, but galaxies that go through one another, does not turn.
float drawnOut(vec2 uv, vec3 attitude) {
    vec2 lie = attitude.xy;
    float turns = 1.0 - smoothstep(0.4, 0.9, attitude.z / sqrt(1.0 + dot(lie, lie)));
    vec2 along = turns * alongArms(uv, lie);
    // An arc of a ring is shorter where the ring turns from the eye.
    lie *= min(1.0, 1.6 / max(length(lie), 1e-6));
    float flatness = 1.0 + dot(lie, lie);
    along *= 0.045 * step * (flatness - square(dot(along, lie))) / sqrt(flatness);
    float sum = 0.0;
    for (int k = -5; k <= 5; ++k) {
        vec2 at = uv + float(k) * along;
        sum += textureLod(level, at, 0.0).a - textureLod(lanes, at, 0.0).a;  // of one mean would show the texels of `lanes`
    }
    float mean = mix(0.6, 1.0, turns) * sum / 11.0;
    return 0.8 * mean / sqrt(1.0 + 1.2 * mean * mean);
}

vec4 developed(ivec2 pixel, vec2 uv) {
    vec4 finest = texelFetch(level, pixel, 0), planned = textureLod(plan, uv, 0.0);
    // Photographs end at some faintness; what fewer bodies than one make of a width is no light of its own.
    float all = finest.r + finest.g + finest.b;
    vec3 here = finest.rgb * square(all) / max(square(all) + square(faintest), 1e-30);
    // Nor have old stars edges, for they go everywhere: some of their contrast is no narrower than an arm.
    float middle = here.r / max(tent(coarser, uv).r, 1e-20);
    here.r *= pow(max(middle, 1e-20), -youth * (middle > 1.0 ? 0.15 : 0.55 * smoothstep(0.0, 0.3, middle)));
    // Of faint light less is seen than its share: streams narrow and fade to their ends, where a print would have a border.
    here *= mix(1.0, pow(all / max(all + 0.08 * usual, 1e-20), 0.7), youth);
    // A stream has the light of its stars alone, which are those of outskirts.
    float tail = youth * tailAt(uv, sidesOf(uv));
    here *= pow(min(here.g / (0.5 * usual) + 0.02, 1.0), 0.6 * tail);
    // The finer parts of the pattern count more than those as wide as arms: the latter would show their texels as blocks.
    float weave = finest.a, coarse = tent(lanes, uv).a;
    vec3 how = textureLod(attitude, uv, 0.0).xyz;
    // The more a disc is seen from the side, the more of it lies one behind the other, and the less of it stands out.
    float steep = dot(how.xy, how.xy), drawn = drawnOut(uv, how) / sqrt(1.0 + 0.3 * steep);
    float own = 0.5 * (weave - coarse), fine = own / sqrt(1.0 + 0.7 * steep + own * own) + drawn;
    float young = planned.r * clamp(0.8 * exp(1.2 * fine + 0.3 * coarse), 0.12, 2.6), full = min(young, 1.0);
    // Clouds of dust are of every depth, as what turbulence makes is, and drawn out with the arms.
    float filaments = clamp(exp(-0.3 * coarse - 2.6 * drawn), 0.08, 4.0);
    float thin = 0.4 * planned.b * max(filaments - 0.8, 0.0) * sqrt(min(here.g / usual, 1.5));
    float depth = dust * (planned.g * (0.2 + 0.7 * filaments) + thin);
    // Half of a disc is before its dust; of the bulge, seen through the near half, less.
    float before = mix(0.42, 0.24, smoothstep(1.1, 2.2, planned.g));
    vec3 passed = before + (1.0 - before) * exp(-depth * vec3(0.62, 1.04, 1.40));

    // Of few bodies those of a high lot are clusters of stars, those of a low one clouds of gas; of many, what their mean lot
    // is by chance.
    vec4 single = tent(grain, uv);
    float sum = single.r + single.g + single.b, share = single.a / max(sum, 1e-20);
    float lot = (share - 0.5) * sqrt(max(4.0 * sum * bodiesPerLight, 1.0)) / 0.231;
    float peak = single.g / max(here.g, 1e-20);
    // Young stars are in clusters that have not dispersed: some of chance is left in their light that is none of the disc's.
    float uneven = pow(clamp(peak, 0.05, 6.0), 0.8) * (0.35 + 2.6 * share * share * share);
    float crowd = full * here.g * peak / (1.0 + 0.35 * peak);
    float bright = crowd * square(clamp((lot - 0.8) / 0.9, 0.0, 1.4));
    float pink = crowd * square(clamp((-lot - 0.9) / 0.8, 0.0, 1.4));
    float cloud = tent(clouds, uv).b;

    // Faint light of discs is cream between arms, where old stars are, and a pale blue in what has none. No mixture of warm and
    // blue may be greener than both are: their greens are below the mean of red and blue.
    float aged = max(smoothstep(0.03, 0.3, here.r / max(here.r + here.g, 1e-20)), smoothstep(0.03, 0.42, planned.a));
    vec3 outskirts = mix(vec3(0.64, 0.86, 1.50), vec3(1.0), max(aged, 1.0 - youth));
    outskirts = mix(outskirts, vec3(0.86, 0.93, 1.16), tail);
    vec3 hot = mix(vec3(0.36, 0.62, 1.16), vec3(0.60, 0.76, 1.06), smoothstep(0.15, 1.2, planned.a));
    // What is bright is paler, as old stars are where they are most crowded; so is what is far out, which has fewer metals.
    vec3 old = mix(colours[0], vec3(1.06, 0.77, 0.47), youth * smoothstep(1.0, 0.0, here.r / usual));
    old = mix(old, vec3(1.18, 0.89, 0.56), youth * smoothstep(0.5, 8.0, here.r / usual));
    // Star clouds: none is as even as what is smoothed.
    here.g *= exp(youth * planned.b * 0.65 * fine);
    vec3 starlight = old * here.r * (1.0 - 0.3 * full) + colours[1] * outskirts * here.g * (1.0 - 0.5 * full) +
                     hot * (2.2 * young * here.g * uneven * (1.0 - 0.4 * tail)) + vec3(0.66, 0.82, 1.12) * (6.0 * bright) +
                     colours[2] * (mix(0.3, 0.06 + 0.24 * full, youth) * here.b);
    // Most clouds are small; only the brightest clusters light up what is farther away.
    float lit = 1.3 * single.b + 3.5 * cloud;
    float glowing = gas * (1.0 - 0.7 * tail) * smoothstep(0.3, 1.1, young);
    vec3 knots = vec3(1.30, 0.24, 0.50) * (glowing * smoothstep(-1.0, 1.0, weave + coarse) *
                                           (lit / (1.0 + 0.4 * lit / usual) + 2.0 * pink));
    // Gas around a young cluster: pushed out of its middle, in threads with bright rims and holes, lit by its bright stars.
    float threads = exp(-3.5 * square(weave + 0.1)) * (0.15 + 0.85 * smoothstep(-0.9, 0.9, coarse - 0.4 * weave));
    float cavity = 1.0 - 0.6 * smoothstep(0.4, 2.0, planned.a);
    vec3 veil = mix(vec3(1.0, 0.30, 0.36), vec3(0.36, 0.52, 0.90), planned.a / (planned.a + 0.9)) *
                (nebula * 0.55 * usual * sqrt(planned.a) * smoothstep(0.0, 0.15, planned.a) * cavity *
                 clamp(exp(1.1 * weave + 0.5 * coarse) * (0.5 + threads) - 0.3, 0.0, 3.5));
    float seen = resolved * mix(1.0, 0.12 + 0.88 * smoothstep(0.1, 0.6, young), youth);
    // The middle of a cluster is brighter than its stars one by one, and paler.
    starlight *= 1.0 + (1.0 - youth) * vec3(4.0, 4.3, 4.8) * smoothstep(0.4, 4.0, planned.a);
    return vec4((1.0 - resolved) * passed * starlight + knots * passed + veil, seen);
}
#elif STAGE == 4
// Where arms run, whatever has arms: across the steepest light, on the mean over an arm's width and more. Of an angle twice as large,
// because back and forth are the same.
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
