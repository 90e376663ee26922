#version 450 core
// End gl_VertexID % 2 of line gl_VertexID / 2. Its colour is the strain: blue where the bond is compressed, pale at rest, red
// where it is stretched as far as it goes.
struct Line {
    uint first, second;
    float rest;      // length at rest
    float breaking;  // strain of the reddest colour
};
layout(std430, binding = 1) readonly buffer Bodies { vec4 places[]; };
layout(std430, binding = 2) readonly buffer Lines { Line lines[]; };
uniform mat4 clipFromWorld;
uniform float light;
uniform uint bodies;
out vec4 colourHere;  // alpha: amount of light

void main() {
    Line line = lines[gl_VertexID / 2];
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    colourHere = vec4(0.0);
    if (line.first >= bodies || line.second >= bodies) return;
    vec3 first = places[line.first].xyz, second = places[line.second].xyz;
    float length = distance(first, second);
    if (isnan(length) || isinf(length)) return;
    gl_Position = clipFromWorld * vec4(gl_VertexID % 2 == 0 ? first : second, 1.0);
    float strain = line.rest > 0.0 ? (length / line.rest - 1.0) / line.breaking : 1.0;
    float part = sqrt(clamp(abs(strain), 0.0, 1.0));
    vec3 rest = vec3(0.55, 0.6, 0.6);
    vec3 stretched = part < 0.5 ? mix(rest, vec3(1.0, 0.75, 0.15), 2.0 * part)
                                : mix(vec3(1.0, 0.75, 0.15), vec3(1.0, 0.06, 0.03), 2.0 * part - 1.0);
    vec3 compressed = mix(rest, vec3(0.05, 0.3, 1.0), part);
    colourHere = vec4(strain > 0.0 ? stretched : compressed, light);
}
