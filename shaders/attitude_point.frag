#version 450 core
flat in vec4 moments;
layout(location = 0) out vec4 sums;

void main() { sums = moments; }
