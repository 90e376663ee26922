#version 450 core
// What is far behind and before everything: a few stars and galaxies, at places of the sky that are always the same.
uniform mat4 clipFromSky;
uniform float pixels;  // of the picture's height
uniform int galaxies;  // the first of all
uniform float brightness;
flat out vec4 form;    // axis ratio, cosine and sine of the major axis; 1: a galaxy
flat out vec3 light;

uint mixed(uint x) {  // the finalizer of MurmurHash3 (A. Appleby)
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

float lot(uint turn) { return float(mixed(uint(gl_VertexID) * 8u + turn + 0x9e3779b9u) >> 8) / 16777216.0; }

void main() {
    float z = 2.0 * lot(0u) - 1.0, angle = 6.2831853 * lot(1u), flat_ = sqrt(1.0 - z * z);
    gl_Position = clipFromSky * vec4(flat_ * cos(angle), flat_ * sin(angle), z, 0.0);
    bool galaxy = gl_VertexID < galaxies;
    // Ten times as many are three magnitudes fainter.
    float bright = pow(lot(2u), 3.0), turned = 3.1415927 * lot(3u);
    form = vec4(mix(0.3, 1.0, lot(4u)), cos(turned), sin(turned), galaxy ? 1.0 : 0.0);
    float tint = lot(5u);
    if (galaxy) {
        gl_PointSize = pixels / 720.0 * (5.0 + 11.0 * bright);
        light = mix(vec3(0.9, 0.75, 0.55), vec3(0.65, 0.75, 0.95), tint) * (0.10 + 0.13 * bright);
    } else {
        gl_PointSize = max(pixels / 720.0, 0.7) * (2.2 + 1.6 * bright);
        light = mix(vec3(1.0, 0.84, 0.66), vec3(0.78, 0.87, 1.0), tint) * (0.10 + 0.55 * bright);
    }
    light *= brightness;
}
