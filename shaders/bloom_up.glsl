// Up one level: a tent over the smaller image.
uniform sampler2D image;
uniform float weight;

vec3 larger(vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec3 sum = 2.0 * (textureLod(image, uv + texel * vec2(-0.5, -0.5), 0.0).rgb +
                      textureLod(image, uv + texel * vec2(0.5, -0.5), 0.0).rgb +
                      textureLod(image, uv + texel * vec2(-0.5, 0.5), 0.0).rgb +
                      textureLod(image, uv + texel * vec2(0.5, 0.5), 0.0).rgb);
    sum += textureLod(image, uv + texel * vec2(-1.0, 0.0), 0.0).rgb + textureLod(image, uv + texel * vec2(1.0, 0.0), 0.0).rgb +
           textureLod(image, uv + texel * vec2(0.0, -1.0), 0.0).rgb + textureLod(image, uv + texel * vec2(0.0, 1.0), 0.0).rgb;
    return sum * (weight / 12.0);
}
