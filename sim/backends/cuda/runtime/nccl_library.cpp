#include "sim/backends/cuda/runtime/nccl_library.h"

#include "sim/api/errors.h"

#include <dlfcn.h>

#include <climits>
#include <type_traits>

namespace gravlab::cuda {
namespace {

// As nccl.h has them.
constexpr int kOldestNccl = 21800, kInProgress = 7, kBytes = 1;
struct NcclConfig {
    std::size_t size = sizeof(NcclConfig);
    unsigned magic = 0xcafebeef, version = kOldestNccl;
    int blocking = 0, cgaClusterSize = INT_MIN, minCTAs = INT_MIN, maxCTAs = INT_MIN;
    const char* netName = nullptr;
    int splitShare = INT_MIN;
};

struct NcclFunctions {
    int version = 0;  ///< 0: the library is of no use
    int (*getVersion)(int*) = nullptr;
    int (*newId)(NcclId*) = nullptr;
    int (*join)(void**, int ranks, NcclId, int rank, NcclConfig*) = nullptr;
    int (*abort)(void*) = nullptr;
    int (*state)(void*, int*) = nullptr;
    int (*groupStart)() = nullptr;
    int (*groupEnd)() = nullptr;
    int (*broadcast)(const void*, void*, std::size_t, int type, int root, void*, Stream) = nullptr;
    Nccl::Transfer *send = nullptr, *receive = nullptr;
    const char* (*text)(int) = nullptr;
    const char* (*lastError)(void*) = nullptr;

    NcclFunctions() {
        void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
        bool all = library;
        const auto load = [&](auto& function, const char* name) {
            if (all) function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            all = all && function;
        };
        load(getVersion, "ncclGetVersion");
        load(newId, "ncclGetUniqueId");
        load(join, "ncclCommInitRankConfig");
        load(abort, "ncclCommAbort");
        load(state, "ncclCommGetAsyncError");
        load(groupStart, "ncclGroupStart");
        load(groupEnd, "ncclGroupEnd");
        load(broadcast, "ncclBroadcast");
        load(send, "ncclSend");
        load(receive, "ncclRecv");
        load(text, "ncclGetErrorString");
        load(lastError, "ncclGetLastError");
        if (!all || getVersion(&version) != 0 || version < kOldestNccl) version = 0;
    }
};
const NcclFunctions& nccl() {
    static const NcclFunctions loaded;
    return loaded;
}

std::string textOf(int code, void* communicator) {
    const std::string last = nccl().lastError(communicator);
    return "NCCL failed: " + (last.empty() ? nccl().text(code) : last.substr(0, last.find('\n')));
}

}  // namespace

std::string ncclVersion() {
    const int version = nccl().version;
    if (version == 0) return {};
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

NcclId newNcclId() {
    NcclId id;
    if (const int code = nccl().newId(&id); code != 0) throw DeviceError(textOf(code, nullptr));
    return id;
}

Nccl::Nccl(const NcclId& id, int rank, int ranks) {
    NcclConfig config;
    require(nccl().join(&communicator_, ranks, id, rank, &config));
    settle();
}

// Other ranks may be gone, so nothing waits for them.
Nccl::~Nccl() {
    if (communicator_) nccl().abort(communicator_);
}

void Nccl::broadcast(std::byte* memory, std::size_t bytes) {
    begin(bytes, [&] { return nccl().broadcast(memory, memory, bytes, kBytes, 0, communicator_, stream_); });
}

void Nccl::send(const Pieces& pieces) { transfer(pieces, nccl().send); }

void Nccl::receive(const Pieces& pieces) { transfer(pieces, nccl().receive); }

void Nccl::transfer(const Pieces& pieces, Transfer* call) {
    begin(bytesOf(pieces), [&] {
        int code = 0;
        for (const Piece& piece : pieces)
            if (code == 0 || code == kInProgress)
                code = call(piece.memory, piece.bytes, kBytes, piece.rank, communicator_, stream_);
        return code;
    });
}

void Nccl::begin(std::size_t bytes, const std::function<int()>& calls) {
    if (!communicator_) throw DeviceError("NCCL failed before");
    limit_ = limitOf(bytes);
    require(nccl().groupStart());
    const int called = calls(), ended = nccl().groupEnd();
    require(called);
    require(ended);
    settle();
    CUDA_CHECK(recordEvent(done_, stream_));
    underWay_ = true;
}

void Nccl::require(int code) {
    if (code != 0 && code != kInProgress) fail(textOf(code, communicator_));
}

/// Waits until the library has enqueued what was called: its calls do not block.
void Nccl::settle() {
    for (int state = kInProgress;;) {
        require(nccl().state(communicator_, &state));
        require(state);
        if (state != kInProgress) return;
        if (Clock::now() > limit_) fail("NCCL waits for a rank that does not come");
        std::this_thread::yield();
    }
}

bool Nccl::reached() {
    if (!underWay_) return true;
    if (done_.reached()) return underWay_ = false, true;
    settle();
    if (Clock::now() > limit_) fail("NCCL waits for a rank that does not come");
    return false;
}

void Nccl::fail(const std::string& why) {
    underWay_ = false;
    if (communicator_) nccl().abort(std::exchange(communicator_, nullptr));
    throw DeviceError(why);
}

}  // namespace gravlab::cuda
