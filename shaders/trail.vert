#version 450 core
// Point gl_VertexID (0 = newest) of the trail of body gl_InstanceID.
layout(location = 1) in vec2 trait;
layout(std430, binding = 1) readonly buffer Ring { vec4 points[]; };
uniform mat4 clipFromWorld;
uniform ivec4 ring;  // bodies, slots, newest slot, slots filled
uniform vec2 valueRange;
uniform bool logarithmic;
uniform bool useTraits;
uniform float darkLight;
uniform float light;
uniform sampler2D colours;
out vec4 colourHere;  // alpha: amount of light

void main() {
    int slot = (ring.z - gl_VertexID + ring.y) % ring.y;
    vec4 body = points[slot * ring.x + gl_InstanceID];
    gl_Position = clipFromWorld * vec4(body.xyz, 1.0);
    float value = useTraits ? trait.x : body.w;
    if (logarithmic) value = log2(max(value, 1e-37));
    float place = clamp((value - valueRange.x) / (valueRange.y - valueRange.x), 0.0, 1.0);
    float fade = 1.0 - float(gl_VertexID) / float(ring.w - 1);
    float share = trait.y < 0.0 ? -trait.y * darkLight : trait.y;
    colourHere = vec4(textureLod(colours, vec2((place * 255.0 + 0.5) / 256.0, 0.5), 0.0).rgb, light * share * fade * fade);
    if (any(isnan(body)) || any(isinf(body))) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        colourHere = vec4(0.0);
    }
}
