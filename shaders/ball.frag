#version 450 core
// A sphere in the light of one lamp beside the eye.
flat in vec3 light;
in vec2 place;  // -1 to 1 over the disc
uniform bool counted;  // alpha: the covered fraction of a white page
layout(location = 0) out vec4 colour;

void main() {
    float squared = dot(place, place);
    if (squared > 1.0) discard;
    vec3 normal = vec3(place, sqrt(1.0 - squared));
    float lit = 0.1 + 0.9 * max(dot(normal, normalize(vec3(-0.5, 0.6, 0.65))), 0.0);
    colour = vec4(light * lit, counted ? 1.0 : 0.0);
}
