#version 450 core
// A body with a radius as a square that its disc fills. Smaller than a pixel it stays a point of light alone.
layout(location = 0) in vec4 body;   // xyz [L], w = value
layout(location = 1) in vec2 trait;  // own value, fraction of light
layout(location = 2) in float radius;  // [L]
uniform mat4 clipFromWorld;
uniform vec2 clipScale;     // clip coordinates per length
uniform float pixelScale;   // radius [px] times depth per length
uniform float least;        // smallest radius [px]
uniform vec2 valueRange;
uniform bool logarithmic;
uniform bool useTraits;
uniform float level;        // light of a white sphere
uniform sampler2D colours;

flat out vec3 light;
out vec2 place;

void main() {
    vec4 clip = clipFromWorld * vec4(body.xyz, 1.0);
    light = vec3(0.0);
    place = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    if (!(clip.w > 0.0) || isinf(clip.w) || !(radius * pixelScale >= least * clip.w)) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside every clip plane
        return;
    }
    float value = useTraits ? trait.x : body.w;
    if (logarithmic) value = log2(max(value, 1e-37));
    float row = (clamp((value - valueRange.x) / (valueRange.y - valueRange.x), 0.0, 1.0) * 255.0 + 0.5) / 256.0;
    light = level * textureLod(colours, vec2(row, 0.5), 0.0).rgb;
    gl_Position = clip + vec4(place * radius * clipScale, 0.0, 0.0);
}
