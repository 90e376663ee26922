#version 450 core
// Auto-exposure without the host: finds the brightness that halves the light, and moves the stored exposure towards the one
// that makes it a mid tone. One group; the picture is the second level of the glow.
layout(local_size_x = 256) in;
uniform sampler2D image;
uniform float midTone;     // target for the median of the light
uniform float adaptation;  // fraction of the way in this frame
layout(std430, binding = 0) buffer Exposure { float exposure; };

const int kBins = 256;
const float kLowest = -20.0, kHighest = 20.0;  // powers of two

shared uint light[kBins];

void main() {
    uint me = gl_LocalInvocationIndex;
    light[me] = 0u;
    barrier();
    ivec2 size = textureSize(image, 0);
    int count = size.x * size.y;
    for (int i = int(me); i < count; i += 256) {
        float bright = dot(texelFetch(image, ivec2(i % size.x, i / size.x), 0).rgb, vec3(0.2126, 0.7152, 0.0722));
        if (!(bright > exp2(kLowest)) || isinf(bright)) continue;
        int bin = clamp(int((log2(bright) - kLowest) / (kHighest - kLowest) * float(kBins)), 0, kBins - 1);
        // Count pixels; the light of a bin is its count times its brightness.
        atomicAdd(light[bin], 1u);
    }
    barrier();
    if (me != 0u) return;
    float sum = 0.0;
    for (int b = 0; b < kBins; ++b) sum += float(light[b]) * exp2(kLowest + (float(b) + 0.5) / float(kBins) * (kHighest - kLowest));
    if (!(sum > 0.0)) return;
    float passed = 0.0, median = 1.0;
    for (int b = 0; b < kBins; ++b) {
        median = exp2(kLowest + (float(b) + 0.5) / float(kBins) * (kHighest - kLowest));
        passed += float(light[b]) * median;
        if (passed >= 0.5 * sum) break;
    }
    float wanted = clamp(midTone / median, 1e-4, 1e4);
    exposure = exposure > 0.0 ? exp2(mix(log2(exposure), log2(wanted), adaptation)) : wanted;
}
