#version 450 core
// A segment of a trail. The covered fraction of the pixel multiplies alpha.
in vec4 colourHere;
layout(location = 0) out vec4 colour;

void main() {
    colour = colourHere;
}
