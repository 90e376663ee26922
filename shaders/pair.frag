#version 450 core
// Two finished pictures in one: side by side with a line between them, or overlaid in one hue each. Where both are equal,
// the hues add up to white on black, and to dark on a white page.
layout(binding = 0) uniform sampler2D first;
layout(binding = 1) uniform sampler2D twin;
uniform ivec4 places;  // left edge and width of the first, of the twin, in pixels
uniform ivec2 rows;    // lower edge and height of both
uniform bool overlaid;
uniform bool paper;
uniform vec3 hues[2];
layout(location = 0) out vec4 colour;

const vec3 kDivider = vec3(0.34, 0.37, 0.42);

float strength(vec3 pixel) { return paper ? 1.0 - min(pixel.r, min(pixel.g, pixel.b)) : max(pixel.r, max(pixel.g, pixel.b)); }

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    if (overlaid) {
        float one = strength(texelFetch(first, at, 0).rgb), other = strength(texelFetch(twin, at, 0).rgb);
        vec3 shown = paper ? mix(vec3(1.0), hues[0], one) * mix(vec3(1.0), hues[1], other) : hues[0] * one + hues[1] * other;
        colour = vec4(min(shown, 1.0), 1.0);
        return;
    }
    vec3 shown = vec3(paper ? 1.0 : 0.0);
    if (at.y >= rows.x && at.y < rows.x + rows.y) {
        int y = at.y - rows.x;
        if (at.x >= places.x && at.x < places.x + places.y)
            shown = texelFetch(first, ivec2(at.x - places.x, y), 0).rgb;
        else if (at.x >= places.z && at.x < places.z + places.w)
            shown = texelFetch(twin, ivec2(at.x - places.z, y), 0).rgb;
        else if (at.x >= places.x + places.y && at.x < places.z)
            shown = kDivider;
    }
    colour = vec4(shown, 1.0);
}
