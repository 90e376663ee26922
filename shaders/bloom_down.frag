#version 450 core
// Half size: five taps between texels, so that each of them averages four.
in vec2 uv;
uniform sampler2D image;
layout(location = 0) out vec4 colour;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec3 sum = 4.0 * texture(image, uv).rgb;
    sum += texture(image, uv + texel * vec2(-1.0, -1.0)).rgb;
    sum += texture(image, uv + texel * vec2(1.0, -1.0)).rgb;
    sum += texture(image, uv + texel * vec2(-1.0, 1.0)).rgb;
    sum += texture(image, uv + texel * vec2(1.0, 1.0)).rgb;
    colour = vec4(sum / 8.0, 1.0);
}
