// A picture off screen: a galaxy after some steps, as `gravlab render` draws it.
#include <gravlab/program.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    const char* const file = argc > 1 ? argv[1] : "galaxy.png";
    const std::size_t bodies = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 4000;
    try {
        gravlab::Experiment galaxy({.scene = "galaxy", .count = bodies});
        std::printf("%s\n", galaxy.backend().c_str());
        galaxy.step(20);
        gravlab::draw(galaxy, file, {"--size", "800x600"});
        std::printf("%zu bodies at t = %g: %s\n", galaxy.size(), galaxy.time(), file);
    } catch (const gravlab::Error& error) {
        std::fprintf(stderr, "picture: %s\n", error.what());
        return static_cast<int>(error.code());
    }
}
