#version 450 core
// A sphere in the light of one lamp beside the eye, or a planet with day and night.
flat in vec3 light;
flat in float white;
in vec2 place;  // -1 to 1 over the disc
uniform bool counted;  // alpha: the covered fraction of a white page
uniform mat3 worldFromView;
uniform vec3 sun;
layout(location = 0) out vec4 colour;

float lot(vec3 p) { return fract(sin(dot(p, vec3(127.1, 311.7, 74.7))) * 43758.5453); }

float noise(vec3 p) {
    vec3 cell = floor(p), f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    vec4 front, back;
    for (int k = 0; k < 4; ++k) {
        vec3 corner = cell + vec3(k & 1, k >> 1, 0);
        front[k] = lot(corner);
        back[k] = lot(corner + vec3(0.0, 0.0, 1.0));
    }
    vec4 all = mix(front, back, f.z);
    vec2 row = mix(all.xy, all.zw, f.y);
    return mix(row.x, row.y, f.x);
}

float rough(vec3 p) {
    float sum = 0.0, weight = 0.5;
    for (int k = 0; k < 5; ++k, p *= 2.03, weight *= 0.5) sum += weight * noise(p);
    return sum;
}

/// The colour of a planet there: blue ones have land and clouds, others have bands.
vec3 surface(vec3 up) {
    if (light.b < light.r) {
        float band = up.z + 0.015 * rough(6.0 * up);
        return light * vec3(1.75, 1.40, 1.0) * (0.86 + 0.10 * sin(19.0 * band) + 0.07 * sin(47.0 * band + 1.0));
    }
    float high = rough(1.9 * up + 4.0), dry = rough(4.0 * up);
    vec3 land = mix(vec3(0.05, 0.10, 0.03), vec3(0.30, 0.22, 0.12), smoothstep(0.40, 0.56, dry));
    vec3 ground = mix(vec3(0.01, 0.035, 0.13), land, smoothstep(0.485, 0.505, high));
    ground = mix(ground, vec3(0.75), smoothstep(0.84, 0.92, abs(up.z) + 0.08 * dry));
    float cloud = smoothstep(0.47, 0.66, rough(vec3(2.6, 2.6, 5.0) * up + 0.7 * rough(5.0 * up)));
    return white * mix(ground, vec3(0.8), 0.85 * cloud);
}

void main() {
    float squared = dot(place, place);
    if (squared > 1.0) discard;
    vec3 normal = vec3(place, sqrt(1.0 - squared));
    vec3 lit = light * (0.1 + 0.9 * max(dot(normal, normalize(vec3(-0.5, 0.6, 0.65))), 0.0));
    if (white > 0.0) {
        vec3 up = worldFromView * normal;
        float height = dot(up, sun);
        lit = surface(up) * (0.008 + smoothstep(-0.06, 0.1, height) * max(height, 0.0)) * 1.3;
    }
    colour = vec4(lit, counted ? 1.0 : 0.0);
}
