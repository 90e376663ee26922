#include "sim/api/errors.h"
#include "sim/backends/ranks/transport.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace gravlab {
namespace {

// Sizes of jobs as Open MPI, MPICH and Slurm leave them to each process.
constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

/// A function of the library.
template <class Call>
Call* found(void* library, const char* name) {
    void* const call = library ? dlsym(library, name) : nullptr;
    if (!call) {
        // Rank 0 alone says so where it can: its end stops the others.
        for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
            if (const char* const text = std::getenv(rank); text && std::atoi(text) > 0)
                std::this_thread::sleep_for(std::chrono::seconds(1));
        throw NoDeviceError("this is one of " + std::to_string(launchedRanks()) +
                            " processes of a job, but this build has no MPI: build it where libopenmpi-dev or libmpich-dev "
                            "is installed, or start one process (libgravlab_mpi.so: " +
                            std::string(library ? name : dlerror()) + ")");
    }
    return reinterpret_cast<Call*>(call);
}

class MpiTransport final : public Transport {
public:
    MpiTransport() {
        const int expected = launchedRanks();
        char name[256] = "";
        if (found<int(int*, int*, char*, int)>(library_, "gravlab_mpi_open")(&rank_, &ranks_, name, sizeof name) != 0 ||
            ranks_ != expected)
            throw NoDeviceError("a job of " + std::to_string(expected) + " processes was started, and MPI sees " +
                                std::to_string(ranks_) +
                                ": start it by the mpirun of the MPI that gravlab was built with, or by srun --mpi=pmix");
        name_ = std::string(name).substr(0, std::string(name).find_first_of(",\n"));
        std::ranges::replace(name_, '\t', ' ');  // of MPICH
        // A child process is no part of the job.
        for (const char* size : kSizes) unsetenv(size);
    }
    ~MpiTransport() override { close_(); }
    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }
    std::string name() const override { return name_; }
    int broadcast(std::span<std::byte> bytes) override { return broadcast_(bytes.data(), bytes.size()); }
    int send(int to, std::span<std::byte> bytes, int channel) override {
        return send_(to, channel, bytes.data(), bytes.size());
    }
    int receive(int from, std::span<std::byte> bytes, int channel) override {
        return receive_(from, channel, bytes.data(), bytes.size());
    }
    bool takesDevices() const override { return devices_() == 1; }
    bool done(int operation) override { return done_(operation) != 0; }
    void abort(int code) override { abort_(code); }

private:
    static void* opened() {
        // Parts of Open MPI look for its symbols among the global ones.
        const char* const name = "libgravlab_mpi.so";
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
        std::error_code none;
        return dlopen((std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / name).c_str(),
                      RTLD_NOW | RTLD_GLOBAL);
    }
    using Transfer = int(int rank, int channel, void* data, std::size_t bytes);

    void* library_ = opened();
    int rank_ = 0, ranks_ = 0;
    std::string name_;
    int (*broadcast_)(void*, std::size_t) = found<int(void*, std::size_t)>(library_, "gravlab_mpi_broadcast");
    Transfer *send_ = found<Transfer>(library_, "gravlab_mpi_send"),
             *receive_ = found<Transfer>(library_, "gravlab_mpi_receive");
    int (*devices_)() = found<int()>(library_, "gravlab_mpi_devices");
    int (*done_)(int) = found<int(int)>(library_, "gravlab_mpi_done");
    void (*close_)() = found<void()>(library_, "gravlab_mpi_close");
    void (*abort_)(int) = found<void(int)>(library_, "gravlab_mpi_abort");
};

}  // namespace

int launchedRanks() {
    for (const char* size : kSizes)
        if (const char* const text = std::getenv(size); text && std::atoi(text) > 0) return std::atoi(text);
    return 1;
}

std::unique_ptr<Transport> mpiTransport() { return std::make_unique<MpiTransport>(); }

}  // namespace gravlab
