#version 450 core
// A body with a radius as a square that its disc fills. Smaller than a pixel it stays a point of light alone, or a dim pixel
// where it has no such light.
layout(location = 0) in vec4 body;   // xyz [L], w = value
layout(location = 1) in vec2 trait;  // own value, fraction of light
layout(location = 2) in float radius;  // [L]
layout(location = 3) in vec4 planet;   // the body that is far larger than the others
uniform float planetRadius;            // [L]; of a planet far larger than the others, else infinite
uniform vec3 sun;                      // direction of sunlight's source
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
flat out float white;  // light of a white sphere for a planet, else 0
out vec2 place;

void main() {
    vec4 clip = clipFromWorld * vec4(body.xyz, 1.0);
    light = vec3(0.0);
    white = 0.0;
    place = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    bool alone = useTraits && trait.y == 0.0 && radius > 0.0;
    if (!(clip.w > 0.0) || isinf(clip.w) || !(alone || radius * pixelScale >= least * clip.w)) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // outside every clip plane
        return;
    }
    float value = useTraits ? trait.x : body.w;
    if (logarithmic) value = log2(max(value, 1e-37));
    float row = (clamp((value - valueRange.x) / (valueRange.y - valueRange.x), 0.0, 1.0) * 255.0 + 0.5) / 256.0;
    vec4 colour = textureLod(colours, vec2(row, 0.5), 0.0);
    float shown = alone ? max(radius, 0.71 * clip.w / pixelScale) : radius;
    light = (alone ? 1.8 : 1.0) * level * (radius / shown) * (radius / shown) * colour.rgb;  // ice is as bright as clouds
    if (colour.a < 0.0) {  // in natural colours, see spriteOf()
        if (radius >= planetRadius) white = level;
        vec3 way = body.xyz - planet.xyz;
        float behind = dot(way, sun), beside = length(way - behind * sun) / planetRadius;
        if (radius < planetRadius && behind < 0.0) light *= mix(0.04, 1.0, smoothstep(0.94, 1.03, beside));
    }
    gl_Position = clip + vec4(place * shown * clipScale, 0.0, 0.0);
}
