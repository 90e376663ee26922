#version 450 core
// One body as one point sprite. Light is kept: a body smaller than the smallest sprite is drawn at that size and dimmer.
layout(location = 0) in vec4 body;   // xyz [L], w = value
layout(location = 1) in vec2 trait;  // value of its own, share of light (negative: dark)

uniform mat4 clipFromWorld;
uniform float radiusScale;    // sprite radius [px] times depth [L]
uniform vec2 radiusLimits;    // smallest and largest sprite radius [px]
uniform float nearDepth;      // [L]: bodies closer to the eye fade out, so that none covers the picture
uniform vec2 valueRange;      // values (or their logarithms) that map to the ends of the colour map
uniform bool logarithmic;
uniform bool useTraits;
uniform float darkLight;
uniform float brightness;
uniform sampler2D colours;    // one row

flat out vec3 light;

void main() {
    vec4 clip = clipFromWorld * vec4(body.xyz, 1.0);
    if (!(clip.w > 0.0) || isinf(clip.w)) {  // behind the eye, or not a number: outside every clip plane
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        gl_PointSize = 1.0;
        light = vec3(0.0);
        return;
    }
    gl_Position = clip;
    float radius = radiusScale / clip.w;
    float drawn = clamp(radius, radiusLimits.x, radiusLimits.y);
    float kept = min(radius / radiusLimits.x, 1.0);
    gl_PointSize = 2.0 * drawn;

    float value = useTraits ? trait.x : body.w;
    if (logarithmic) value = log2(max(value, 1e-37));
    float place = clamp((value - valueRange.x) / (valueRange.y - valueRange.x), 0.0, 1.0);
    float row = (place * 255.0 + 0.5) / 256.0;
    float share = trait.y < 0.0 ? -trait.y * darkLight : trait.y;
    light = textureLod(colours, vec2(row, 0.5), 0.0).rgb *
            (brightness * share * kept * kept * smoothstep(0.0, nearDepth, clip.w));
}
