#include "sim/backends/cuda/runtime/sparse_library.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <dlfcn.h>

#include <type_traits>

#if __has_include(<cusparse.h>)
#include <cusparse.h>
#define GRAVLAB_HAS_CUSPARSE 1
#endif

namespace gravlab::cuda {

#if GRAVLAB_HAS_CUSPARSE
namespace {

constexpr const char* kSparseLibrary = "libcusparse.so.12";

/// The functions that a product needs.
struct SparseFunctions {
    decltype(&::cusparseCreate) create = nullptr;
    decltype(&::cusparseDestroy) destroy = nullptr;
    decltype(&::cusparseSetStream) setStream = nullptr;
    decltype(&::cusparseCreateCsr) createCsr = nullptr;
    decltype(&::cusparseCreateDnMat) createDense = nullptr;
    decltype(&::cusparseDestroySpMat) destroySparse = nullptr;
    decltype(&::cusparseDestroyDnMat) destroyDense = nullptr;
    decltype(&::cusparseSpMM_bufferSize) bufferSize = nullptr;
    decltype(&::cusparseSpMM) multiply = nullptr;
    decltype(&::cusparseGetErrorString) text = nullptr;
    std::string missing;  ///< why one of them is not there

    SparseFunctions() {
        void* const library = dlopen(kSparseLibrary, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            missing = std::string(kSparseLibrary) +
                      " is not installed; install cuSPARSE of the CUDA toolkit, or take 'bonds-hybrid'";
            return;
        }
        const auto load = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            if (!function && missing.empty())
                missing = std::string(kSparseLibrary) + " has no function " + name + "; take 'bonds-hybrid'";
        };
        load(create, "cusparseCreate");
        load(destroy, "cusparseDestroy");
        load(setStream, "cusparseSetStream");
        load(createCsr, "cusparseCreateCsr");
        load(createDense, "cusparseCreateDnMat");
        load(destroySparse, "cusparseDestroySpMat");
        load(destroyDense, "cusparseDestroyDnMat");
        load(bufferSize, "cusparseSpMM_bufferSize");
        load(multiply, "cusparseSpMM");
        load(text, "cusparseGetErrorString");
    }
};
const SparseFunctions& sparse() {
    static const SparseFunctions loaded;
    return loaded;
}

void requireSuccess(cusparseStatus_t status, const char* what) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    throw DeviceError(std::string("cuSPARSE cannot ") + what + ": " + sparse().text(status) + "; take 'bonds-hybrid'");
}

}  // namespace

std::string whyNoSparseLibrary() { return sparse().missing; }

template <class Real>
struct SparseProduct<Real>::Handles {
    static constexpr cudaDataType kType = std::is_same_v<Real, float> ? CUDA_R_32F : CUDA_R_64F;
    // The algorithm whose sums have the same order each time.
    static constexpr cusparseSpMMAlg_t kAlgorithm = CUSPARSE_SPMM_CSR_ALG3;
    static constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    Real one = 1, zero = 0;
    cusparseHandle_t library = nullptr;
    cusparseSpMatDescr_t matrix = nullptr;
    cusparseDnMatDescr_t x = nullptr, y = nullptr;
    DeviceArray<char> buffer;

    ~Handles() {
        if (x) sparse().destroyDense(x);
        if (y) sparse().destroyDense(y);
        if (matrix) sparse().destroySparse(matrix);
        if (library) sparse().destroy(library);
    }
};

template <class Real>
SparseProduct<Real>::SparseProduct(const Matrix& matrix, Real* x, Real* y, Stream stream)
    : handles_(std::make_unique<Handles>()) {
    if (const std::string why = whyNoSparseLibrary(); !why.empty()) throw UsageError("kernel 'cusparse' cannot run: " + why);
    Handles& h = *handles_;
    requireSuccess(sparse().create(&h.library), "start");
    requireSuccess(sparse().setStream(h.library, reinterpret_cast<cudaStream_t>(stream)), "use a stream");
    requireSuccess(
        sparse().createCsr(&h.matrix, matrix.rows, matrix.rows, matrix.entries, matrix.first, matrix.column, matrix.values,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, Handles::kType),
        "describe the matrix");
    requireSuccess(sparse().createDense(&h.x, matrix.rows, 4, 4, x, Handles::kType, CUSPARSE_ORDER_ROW), "describe x");
    requireSuccess(sparse().createDense(&h.y, matrix.rows, 4, 4, y, Handles::kType, CUSPARSE_ORDER_ROW), "describe y");
    std::size_t bytes = 0;
    requireSuccess(sparse().bufferSize(h.library, Handles::kPlain, Handles::kPlain, &h.one, h.matrix, h.x, &h.zero, h.y,
                                       Handles::kType, Handles::kAlgorithm, &bytes),
                   "size its buffer");
    h.buffer = DeviceArray<char>(bytes);
}

template <class Real>
SparseProduct<Real>::~SparseProduct() = default;

template <class Real>
void SparseProduct<Real>::multiply() {
    Handles& h = *handles_;
    requireSuccess(sparse().multiply(h.library, Handles::kPlain, Handles::kPlain, &h.one, h.matrix, h.x, &h.zero, h.y,
                                     Handles::kType, Handles::kAlgorithm, h.buffer.data()),
                   "multiply");
}
#else
std::string whyNoSparseLibrary() { return "this build knew no header of cuSPARSE; take 'bonds-hybrid'"; }
template <class Real>
struct SparseProduct<Real>::Handles {};
template <class Real>
SparseProduct<Real>::SparseProduct(const Matrix&, Real*, Real*, Stream) {
    throw UsageError("kernel 'cusparse' cannot run: " + whyNoSparseLibrary());
}
template <class Real>
SparseProduct<Real>::~SparseProduct() = default;
template <class Real>
void SparseProduct<Real>::multiply() {}
#endif

template class SparseProduct<float>;
template class SparseProduct<double>;

}  // namespace gravlab::cuda
