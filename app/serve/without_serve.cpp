// Builds without the libraries that `gravlab serve` needs.
#include "app/serve/serve.h"
#include "sim/api/errors.h"

namespace gravlab {

int runServe(const StartOptions&, ServeOptions) {
    throw UsageError(
        "this build has no 'serve'; Debian, Ubuntu: apt install libboost-dev libopenh264-dev libturbojpeg0-dev, then build "
        "again");
}

}  // namespace gravlab
