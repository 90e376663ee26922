# Decides whether the CUDA backend is built. AUTO compiles and links a small C++20 .cu file as a proof; a compiler that
# fails it gives a CPU build and one sentence, never a broken build. Sets GRAVLAB_HAS_CUDA and GRAVLAB_CUDA_VERSION.
set(GRAVLAB_HAS_CUDA OFF)
set(GRAVLAB_CUDA_VERSION "")
if(GRAVLAB_CUDA STREQUAL "OFF")
  message(STATUS "CUDA backend: off (GRAVLAB_CUDA=OFF)")
  return()
endif()
if(NOT GRAVLAB_CUDA MATCHES "^(AUTO|ON)$")
  message(FATAL_ERROR "GRAVLAB_CUDA is '${GRAVLAB_CUDA}'; valid: AUTO, ON, OFF.")
endif()

# gravlab_no_cuda(SENTENCE): builds without CUDA under AUTO, stops with an error under ON.
macro(gravlab_no_cuda sentence)
  if(GRAVLAB_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GRAVLAB_CUDA=ON, but ${sentence}")
  endif()
  message(STATUS "CUDA backend: off, ${sentence}; the program will use the CPU")
endmacro()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
# A toolkit is often installed without being on the PATH. A failed search is not cached, so that a later install is found.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(GRAVLAB_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
  if(GRAVLAB_NVCC)
    set(CMAKE_CUDA_COMPILER ${GRAVLAB_NVCC} CACHE FILEPATH "nvcc")
  endif()
endif()
if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
  set(_named_nvcc ${CMAKE_CUDA_COMPILER} $ENV{CUDACXX})
  set(_compiler)
  if(CMAKE_CUDA_COMPILER)
    set(_compiler -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER})
  endif()
  # The proof runs in its own project: a toolkit that refuses the host compiler or C++20 must not end this configure run.
  set(_probe ${PROJECT_BINARY_DIR}/CMakeFiles/cuda_probe)
  if(NOT GRAVLAB_CUDA_PROVED STREQUAL "${_named_nvcc} ${CMAKE_CUDA_ARCHITECTURES} ${CMAKE_CXX_COMPILER}")
    file(REMOVE_RECURSE ${_probe})
    file(WRITE ${_probe}/CMakeLists.txt "
cmake_minimum_required(VERSION 3.22)
project(cuda_probe LANGUAGES CXX CUDA)
set(CMAKE_CUDA_FLAGS \"\${CMAKE_CUDA_FLAGS} -std=c++20\")
find_package(CUDAToolkit REQUIRED)
add_executable(probe probe.cu)
target_link_libraries(probe PRIVATE CUDA::cudart_static)
")
    file(WRITE ${_probe}/probe.cu "
#include <concepts>
#include <cstdio>
#include <span>
template <std::floating_point T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
int main() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess) twice<float><<<1, 1>>>(nullptr);
    std::span<int> one(&count, 1);
    return std::printf(\"%d\\n\", one.front()) < 0;
}
")
    execute_process(
      COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
        -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CUDA_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES}"
        ${_compiler} -S ${_probe} -B ${_probe}/build
      RESULT_VARIABLE _probe_result OUTPUT_VARIABLE _probe_output ERROR_VARIABLE _probe_output)
    if(_probe_result EQUAL 0)
      execute_process(COMMAND ${CMAKE_COMMAND} --build ${_probe}/build
        RESULT_VARIABLE _probe_result OUTPUT_VARIABLE _probe_output ERROR_VARIABLE _probe_output)
    endif()
    if(_probe_result EQUAL 0)
      set(GRAVLAB_CUDA_PROVED "${_named_nvcc} ${CMAKE_CUDA_ARCHITECTURES} ${CMAKE_CXX_COMPILER}" CACHE INTERNAL "")
    else()
      file(WRITE ${_probe}/probe.log "${_probe_output}")
    endif()
  endif()
  if(NOT GRAVLAB_CUDA_PROVED STREQUAL "${_named_nvcc} ${CMAKE_CUDA_ARCHITECTURES} ${CMAKE_CXX_COMPILER}")
    unset(CMAKE_CUDA_COMPILER CACHE)
    unset(GRAVLAB_NVCC CACHE)
    gravlab_no_cuda("${_named_nvcc} could not build a small C++20 program for architecture ${CMAKE_CUDA_ARCHITECTURES} \
(see ${_probe}/probe.log)")
    return()
  endif()
else()
  gravlab_no_cuda("no nvcc was found (install the CUDA toolkit, or set CUDACXX to its nvcc)")
  return()
endif()

enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
# CMake before 3.26 does not know that nvcc 12 and newer compile C++20; the probe above has proved it.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(GRAVLAB_HAS_CUDA ON)
set(GRAVLAB_CUDA_VERSION ${CMAKE_CUDA_COMPILER_VERSION})
message(STATUS "CUDA backend: on, nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
