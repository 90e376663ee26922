// A smaller image: four taps between texels, each the average of four, so that 4x4 texels of the larger one count alike.
// From the full picture that is a quarter of the size, from then on half, with overlap that keeps the glow from flickering.
uniform sampler2D image;

vec3 smaller(vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec3 sum = textureLod(image, uv + texel * vec2(-1.0, -1.0), 0.0).rgb + textureLod(image, uv + texel * vec2(1.0, -1.0), 0.0).rgb +
               textureLod(image, uv + texel * vec2(-1.0, 1.0), 0.0).rgb + textureLod(image, uv + texel * vec2(1.0, 1.0), 0.0).rgb;
    return sum / 4.0;
}
