// How many threads the OpenMP library can start safely.
#pragma once
#include <cstddef>

namespace gravlab::cpu {

/// Stack size in bytes that `text`, in the format of OMP_STACKSIZE, requests: a number with B, K, M or G, by default K. 0
/// where `text` is null or not understood.
std::size_t openMpStack(const char* text);

/// How many of `wanted` threads of `stack` bytes (0: the usual size) the system allows, the calling one included. The check
/// is needed because the library ends the whole program when it cannot start a thread. Waits for threads that it starts.
int threadsAllowed(int wanted, std::size_t stack);

/// The same with the present settings of the library; each calling thread looks it up once.
int openMpThreads(int wanted);

}  // namespace gravlab::cpu
