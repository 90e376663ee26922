#version 450 core
// The inclination of discs: the plane that best fits the depths of the light around a texel. In any disc the far half is
// where the plane recedes from the eye, so the positions of discs need not be known. xy: change of depth across the picture;
// z: thickness of the light along a line of sight, in arm widths; w: 1 for a disc exactly from the side, which shows no such
// change: its light is narrow in the picture and deep along the line of sight, though not as deep as several galaxies.
in vec2 uv;
uniform sampler2D moments;  // light, light times depth, times its square
uniform vec2 arm;           // its width as a fraction of the picture
layout(location = 0) out vec4 lie;

const int reach = 4;
const float spacing = 0.4;  // between samples, in arm widths

void main() {
    float light = 0.0, depth = 0.0, squares = 0.0;
    vec2 place = vec2(0.0), product = vec2(0.0);
    vec3 inertia = vec3(0.0);  // xx, yy, xy
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            vec2 at = spacing * vec2(x, y);
            vec3 here = exp(-0.8 * dot(at, at)) * textureLod(moments, uv + arm * at, 0.0).rgb;
            light += here.r;
            depth += here.g;
            squares += here.b;
            place += here.r * at;
            product += here.g * at;
            inertia += here.r * vec3(at * at, at.x * at.y);
        }
    lie = vec4(0.0);
    if (!(light > 0.0)) return;
    depth /= light;
    place /= light;
    product = product / light - depth * place;
    // A stream is a line and does not determine a slope across it.
    inertia = inertia / light - vec3(place * place, place.x * place.y) + vec3(0.06, 0.06, 0.0);
    vec2 slope = vec2(inertia.y * product.x - inertia.z * product.y, inertia.x * product.y - inertia.z * product.x) /
                 (inertia.x * inertia.y - inertia.z * inertia.z);
    float left = squares / light - depth * depth - dot(slope, product);
    vec2 twice = vec2(0.5 * (inertia.x - inertia.y), inertia.z);
    float thick = sqrt(max(left, 0.0)), lean = 0.5 * atan(twice.y, twice.x);
    float narrow = 0.5 * (inertia.x + inertia.y) - length(twice);
    float deep = smoothstep(3.4, 6.0, thick / sqrt(narrow)) * (1.0 - smoothstep(4.0, 7.0, thick));
    vec2 across = vec2(-sin(lean), cos(lean));
    lie = vec4(mix(slope, (dot(slope, across) + 0.5) * across, deep), thick, deep);
}
