#version 450 core
// Background of the sky: some stars and galaxies, always at the same places of a sky.
uniform mat4 clipFromSky;
uniform float pixels;  // of the picture's height
uniform int galaxies;  // number of galaxies, which come first
uniform float brightness;
uniform uint sky;      // number of the sky
flat out vec4 form;    // a galaxy: axis ratio, cosine and sine of the major axis, 1; a star with a cross: width of its bars,
                       // radii of its core, and -1; other stars: 0
flat out vec3 light;
flat out vec3 core;

uint mixed(uint x) {  // the finalizer of MurmurHash3 (A. Appleby)
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

float lot(uint turn) { return float(mixed(uint(gl_VertexID) * 8u + turn + 0x9e3779b9u ^ sky * 0x85ebca6bu) >> 8) / 16777216.0; }

void main() {
    float z = 2.0 * lot(0u) - 1.0, angle = 6.2831853 * lot(1u), flat_ = sqrt(1.0 - z * z);
    gl_Position = clipFromSky * vec4(flat_ * cos(angle), flat_ * sin(angle), z, 0.0);
    bool galaxy = gl_VertexID < galaxies;
    float scale = max(pixels / 720.0, 0.7), tint = lot(5u);
    core = vec3(0.0);
    if (galaxy) {
        // Many small galaxies, few with a visible form.
        float size = pow(lot(2u), 5.0), turned = 3.1415927 * lot(3u);
        form = vec4(mix(0.28, 1.0, lot(4u)), cos(turned), sin(turned), 1.0);
        gl_PointSize = scale * (3.2 + 17.0 * size);
        float bright = 0.10 + 0.22 * lot(6u) + 0.12 * size;
        light = mix(vec3(0.95, 0.72, 0.48), vec3(0.55, 0.70, 1.0), smoothstep(0.3, 0.7, tint)) * bright;
        core = vec3(0.95, 0.78, 0.56) * bright;
    } else if (float(gl_VertexID - galaxies) > max(18000.0 * pixels * pixels / (720.0 * 720.0), 3000.0)) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);  // a small picture would be full of them
    } else {
        // By magnitudes: each fainter class has four times as many stars.
        float flux = min(0.11 * pow(max(lot(2u), 1e-5), -0.68), 4.0);
        // From red giants over yellow and white stars to a few blue ones.
        vec3 hue = tint < 0.5 ? mix(vec3(1.0, 0.55, 0.30), vec3(1.0, 0.84, 0.62), 2.0 * tint)
                              : mix(vec3(1.0, 0.93, 0.84), vec3(0.58, 0.76, 1.0), 2.0 * tint - 1.0);
        if (flux > 1.6) {
            float wide = scale * (9.0 + 7.0 * flux);
            gl_PointSize = wide;
            form = vec4(1.1 / wide, wide / (scale * (3.4 + 1.2 * flux)), 0.0, -1.0);
            core = 3.0 * mix(hue, vec3(1.0), 0.2);
            light = 0.6 * hue;
        } else {
            gl_PointSize = scale * (1.9 + 2.5 * flux);
            form = vec4(0.0);
            light = hue * min(1.6 * flux, 1.1);
        }
    }
    light *= brightness;
    core *= brightness;
}
