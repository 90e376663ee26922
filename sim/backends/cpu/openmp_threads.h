// How many threads the OpenMP library may be asked for.
#pragma once
#include <cstddef>

namespace gravlab::cpu {

/// Bytes of a stack that `text`, as OMP_STACKSIZE has it, asks for: a number with B, K, M or G, K where there is none. 0
/// where it is null or not understood.
std::size_t openMpStack(const char* text);

/// How many of `wanted` threads of `stack` bytes (0: the usual) the system allows, the calling one included. The library
/// ends the whole program where one of its own cannot be made. Waits for threads that it starts.
int threadsAllowed(int wanted, std::size_t stack);

/// The same for the library as it is set up, looked up once by each calling thread.
int openMpThreads(int wanted);

}  // namespace gravlab::cpu
