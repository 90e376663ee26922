#version 450 core
// One body as one point sprite. Light is kept: a body smaller than the smallest sprite is drawn at that size and dimmer.
layout(location = 0) in vec4 body;  // xyz [L], w = value

uniform mat4 clipFromWorld;
uniform float radiusScale;    // sprite radius [px] times depth [L]
uniform vec2 radiusLimits;    // smallest and largest sprite radius [px]
uniform float nearDepth;      // [L]: bodies closer to the eye fade out, so that none covers the picture
uniform float valueScale;     // value that maps to the top of the colour map
uniform float brightness;
uniform sampler2D colours;    // one row

flat out vec3 light;

void main() {
    vec4 clip = clipFromWorld * vec4(body.xyz, 1.0);
    if (!(clip.w > 0.0) || isinf(clip.w)) {  // behind the eye, or not a number: outside every clip plane
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        gl_PointSize = 1.0;
        light = vec3(0.0);
        return;
    }
    gl_Position = clip;
    float radius = radiusScale / clip.w;
    float drawn = clamp(radius, radiusLimits.x, radiusLimits.y);
    float kept = min(radius / radiusLimits.x, 1.0);
    gl_PointSize = 2.0 * drawn;

    float value = clamp(body.w / valueScale, 0.0, 1.0);
    float row = (value * 255.0 + 0.5) / 256.0;
    light = textureLod(colours, vec2(row, 0.5), 0.0).rgb * (brightness * kept * kept * smoothstep(0.0, nearDepth, clip.w));
}
