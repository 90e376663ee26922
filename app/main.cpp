// The program.
#include "sim/api/program.h"

int main(int argc, char** argv) { return gravlab::program(argc, argv); }
