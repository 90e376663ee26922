# Libraries that the system may lack, at one pinned version each. Rule: only GRAVLAB_FETCH_DEPS=ON downloads,
# and installed libraries are always preferred.
include(FetchContent)

# gravlab_pin(CONFIG-NAME REPOSITORY TAG [OPTION=VALUE...])
function(gravlab_pin name repository tag)
  set_property(GLOBAL PROPERTY gravlab_pin_${name} ${repository} ${tag} ${ARGN})
endfunction()
gravlab_pin(glfw3 https://github.com/glfw/glfw.git 3.4
  GLFW_BUILD_DOCS=OFF GLFW_BUILD_TESTS=OFF GLFW_BUILD_EXAMPLES=OFF GLFW_INSTALL=OFF)
gravlab_pin(glm https://github.com/g-truc/glm.git 1.0.1)
gravlab_pin(CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2 CLI11_BUILD_TESTS=OFF CLI11_BUILD_EXAMPLES=OFF)
gravlab_pin(nlohmann_json https://github.com/nlohmann/json.git v3.11.3 JSON_BuildTests=OFF)
gravlab_pin(tomlplusplus https://github.com/marzer/tomlplusplus.git v3.4.0)
gravlab_pin(hwy https://github.com/google/highway.git 1.2.0
  HWY_ENABLE_TESTS=OFF HWY_ENABLE_EXAMPLES=OFF HWY_ENABLE_CONTRIB=OFF HWY_ENABLE_INSTALL=OFF)
gravlab_pin(imgui https://github.com/ocornut/imgui.git v1.91.9b)
gravlab_pin(glad https://github.com/Dav1dde/glad.git v2.0.8)

# gravlab_fetch(CONFIG-NAME): downloads the pin and adds its targets; sets <name>_SOURCE_DIR in the caller's scope.
function(gravlab_fetch name)
  get_property(pin GLOBAL PROPERTY gravlab_pin_${name})
  list(POP_FRONT pin repository tag)
  foreach(option IN LISTS pin)
    string(REPLACE "=" ";" option ${option})
    list(GET option 0 key)
    list(GET option 1 value)
    set(${key} ${value} CACHE INTERNAL "")
  endforeach()
  message(STATUS "${name}: not on this system, taking ${tag} from ${repository}")
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW TRUE)
  FetchContent_MakeAvailable(${name})
  string(TOLOWER ${name} lower)
  set(${name}_SOURCE_DIR ${${lower}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

# gravlab_require(TARGET CONFIG-NAME DEBIAN-PACKAGE [VERSION]): the target exists afterwards.
macro(gravlab_require target name package)
  find_package(${name} ${ARGN} CONFIG QUIET)
  if(NOT TARGET ${target})
    if(NOT GRAVLAB_FETCH_DEPS)
      message(FATAL_ERROR "${name} ${ARGN} was not found. Debian 12, Ubuntu 24.04 and newer: apt install ${package} "
                          "(./run does it for you). Elsewhere: -DGRAVLAB_FETCH_DEPS=ON downloads a pinned version.")
    endif()
    gravlab_fetch(${name})
  endif()
  if(NOT TARGET ${target} AND TARGET ${name})
    add_library(${target} ALIAS ${name})
  endif()
endmacro()
