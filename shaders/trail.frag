#version 450 core
// A piece of a trail. Alpha becomes the covered part of the pixel.
in vec3 colourHere;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(colourHere, 1.0);
}
