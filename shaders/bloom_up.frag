#version 450 core
// Back up one level: a tent over the smaller image.
in vec2 uv;
uniform sampler2D image;
uniform float weight;
layout(location = 0) out vec4 colour;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec3 sum = 2.0 * (texture(image, uv + texel * vec2(-0.5, -0.5)).rgb + texture(image, uv + texel * vec2(0.5, -0.5)).rgb +
                      texture(image, uv + texel * vec2(-0.5, 0.5)).rgb + texture(image, uv + texel * vec2(0.5, 0.5)).rgb);
    sum += texture(image, uv + texel * vec2(-1.0, 0.0)).rgb + texture(image, uv + texel * vec2(1.0, 0.0)).rgb +
           texture(image, uv + texel * vec2(0.0, -1.0)).rgb + texture(image, uv + texel * vec2(0.0, 1.0)).rgb;
    colour = vec4(sum * (weight / 12.0), 1.0);
}
