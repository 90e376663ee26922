// A smaller image: four taps between texels, each the average of four, so that 4x4 texels of the larger image weigh the
// same. The first level has a quarter of the size, each further level half; the overlap stops the glow from flickering.
uniform sampler2D image;
uniform bool singles;  // whether to omit single bright texels: the brightest of four taps then counts no more than the second

vec4 smaller(vec2 uv) {
    vec2 texel = 1.0 / vec2(textureSize(image, 0));
    vec4 a = textureLod(image, uv + texel * vec2(-1.0, -1.0), 0.0), b = textureLod(image, uv + texel * vec2(1.0, -1.0), 0.0);
    vec4 c = textureLod(image, uv + texel * vec2(-1.0, 1.0), 0.0), d = textureLod(image, uv + texel * vec2(1.0, 1.0), 0.0);
    if (singles) {
        const vec3 all = vec3(1.0);
        vec4 light = vec4(dot(a.rgb, all), dot(b.rgb, all), dot(c.rgb, all), dot(d.rgb, all));
        vec2 high = max(light.xy, light.zw), low = min(light.xy, light.zw);
        float next = max(max(low.x, low.y), min(high.x, high.y));
        vec4 part = min(next / max(light, 1e-20), 1.0);
        a *= part.x, b *= part.y, c *= part.z, d *= part.w;
    }
    return (a + b + c + d) / 4.0;
}
