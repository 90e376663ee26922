#version 450 core
// A smaller image: four taps between texels, each the average of four, so that 4x4 texels of the larger one count alike.
// From the full picture that is a quarter of the size, from then on half, with overlap that keeps the glow from flickering.
in vec2 uv;
uniform sampler2D image;
layout(location = 0) out vec4 colour;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec3 sum = texture(image, uv + texel * vec2(-1.0, -1.0)).rgb + texture(image, uv + texel * vec2(1.0, -1.0)).rgb +
               texture(image, uv + texel * vec2(-1.0, 1.0)).rgb + texture(image, uv + texel * vec2(1.0, 1.0)).rgb;
    colour = vec4(sum / 4.0, 1.0);
}
