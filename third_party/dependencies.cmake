# Everything the project links. What the system has is used; what it lacks stops the configure run with the package's name,
# or is downloaded at a pinned version with -DGRAVLAB_FETCH_DEPS=ON (fetch.cmake).
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)
find_package(OpenGL COMPONENTS OpenGL EGL)
if(NOT TARGET OpenGL::OpenGL OR NOT TARGET OpenGL::EGL)
  message(FATAL_ERROR "OpenGL and EGL (libglvnd) were not found. Debian/Ubuntu: apt install libgl-dev libopengl-dev libegl-dev.")
endif()
find_package(PNG)
if(NOT PNG_FOUND)
  message(FATAL_ERROR "libpng was not found. Debian/Ubuntu: apt install libpng-dev.")
endif()
include(fetch)
# gravlab_require(TARGET CONFIG-NAME DEBIAN-PACKAGE [VERSION])
gravlab_require(glfw glfw3 libglfw3-dev 3.3)
gravlab_require(glm::glm glm libglm-dev)
gravlab_require(CLI11::CLI11 CLI11 libcli11-dev 2.1)
gravlab_require(nlohmann_json::nlohmann_json nlohmann_json nlohmann-json3-dev 3.10)
gravlab_require(hwy::hwy hwy libhwy-dev)
gravlab_require(tomlplusplus::tomlplusplus tomlplusplus libtomlplusplus-dev 3.0)
# One file parses TOML: the headers alone, so that nothing more has to be there at run time.
add_library(gravlab_toml INTERFACE)
target_include_directories(gravlab_toml SYSTEM INTERFACE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)
include(imgui)
include(glad)
include(hdf5)        # optional
