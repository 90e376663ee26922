// The program with a scene that has springs: linked with the additions beside this file it is `gravlab_extended`.
#include "app/main.cpp"
#include "chain_scene.h"
