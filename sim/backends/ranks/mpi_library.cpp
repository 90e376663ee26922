// The library libgravlab_mpi.so: operations of MPI under plain names, so that the program depends on no MPI.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <vector>

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 30;  // counts of MPI are of type int
std::map<int, std::vector<MPI_Request>> under_way;
int newest = 0;
MPI_Comm job;

/// Ends this process after that time [s]: where a rank is dead, MPI_Finalize and MPI_Abort may not return.
void endAfter(unsigned seconds, int code) {
    static int ends;
    ends = code;
    std::signal(SIGALRM, [](int) { _exit(ends); });
    alarm(seconds);
}

/// Begins a request for each piece of the bytes.
template <class Begin>
int begin(void* data, std::size_t bytes, Begin begin) {
    std::vector<MPI_Request>& requests = under_way[++newest];
    for (std::size_t first = 0; first < bytes; first += kPiece)
        begin(static_cast<char*>(data) + first, static_cast<int>(std::min(kPiece, bytes - first)), &requests.emplace_back());
    return newest;
}

}  // namespace

extern "C" {

int gravlab_mpi_open(int* rank, int* ranks, char* name, int room) {
    int level = 0, length = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &job);
    MPI_Comm_rank(job, rank);
    MPI_Comm_size(job, ranks);
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Get_library_version(version, &length);
    std::snprintf(name, static_cast<std::size_t>(room), "%s", version);
    return 0;
}
int gravlab_mpi_broadcast(void* data, std::size_t bytes) {
    return begin(data, bytes, [](void* at, int count, MPI_Request* to) { MPI_Ibcast(at, count, MPI_BYTE, 0, job, to); });
}
int gravlab_mpi_send(int rank, int channel, void* data, std::size_t bytes) {
    return begin(data, bytes,
                 [&](void* at, int count, MPI_Request* to) { MPI_Isend(at, count, MPI_BYTE, rank, channel, job, to); });
}
int gravlab_mpi_receive(int rank, int channel, void* data, std::size_t bytes) {
    return begin(data, bytes,
                 [&](void* at, int count, MPI_Request* to) { MPI_Irecv(at, count, MPI_BYTE, rank, channel, job, to); });
}
/// 1: this MPI takes memory of CUDA devices. Its headers need not know the question.
int gravlab_mpi_devices() {
    const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return query ? query() : 0;
}
int gravlab_mpi_done(int operation) {
    std::vector<MPI_Request>& requests = under_way[operation];
    int all = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
    if (all) under_way.erase(operation);
    return all;
}
void gravlab_mpi_close() {
    endAfter(10, 1);
    MPI_Finalize();
    alarm(0);
}
void gravlab_mpi_abort(int code) {
    endAfter(2, code);
    MPI_Abort(job, code);
}

}  // extern "C"
