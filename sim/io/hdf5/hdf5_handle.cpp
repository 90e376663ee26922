// Compiled only where libhdf5 was found.
#if defined(GRAVLAB_HAS_HDF5)
#include "sim/io/hdf5/hdf5_handle.h"

namespace gravlab {
namespace {

std::mutex& turns() {
    static std::mutex mutex;
    return mutex;
}

herr_t keepDeepest(unsigned, const H5E_error2_t* error, void* text) {
    *static_cast<std::string*>(text) = error->desc ? error->desc : "";
    return 0;
}

}  // namespace

Hdf5Turn::Hdf5Turn() : lock_(turns()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &printData_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Turn::~Hdf5Turn() {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print_, printData_);
}

std::string hdf5Reason() {
    std::string text;
    // Walking downward ends at the innermost call.
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keepDeepest, &text);
    H5Eclear2(H5E_DEFAULT);
    return text.empty() ? "no reason given" : text;
}

}  // namespace gravlab
#endif
