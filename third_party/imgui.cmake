# imgui::imgui = Dear ImGui core + GLFW + OpenGL3 backends: a CMake package (vcpkg, Conan), Debian's library, or the fetch.
find_package(imgui CONFIG QUIET)
if(TARGET imgui::imgui)
  return()
endif()
if(PkgConfig_FOUND)
  pkg_check_modules(IMGUI_PC QUIET imgui>=1.86)
endif()
if(IMGUI_PC_FOUND)
  # Debian links with --as-needed, so the dependencies of libimgui.a must come after it on the link line.
  set(_rest ${IMGUI_PC_LINK_LIBRARIES})
  list(POP_FRONT _rest _lib)
  add_library(imgui_system UNKNOWN IMPORTED)
  set_target_properties(imgui_system PROPERTIES IMPORTED_LOCATION "${_lib}")
  target_include_directories(imgui_system SYSTEM INTERFACE ${IMGUI_PC_INCLUDE_DIRS} ${IMGUI_PC_INCLUDEDIR}/backends)
  target_link_libraries(imgui_system INTERFACE ${_rest} gravlab_glfw ${CMAKE_DL_LIBS})
  add_library(imgui::imgui ALIAS imgui_system)
  return()
endif()
if(NOT GRAVLAB_FETCH_DEPS)
  message(FATAL_ERROR "Dear ImGui >= 1.86 not found. Debian/Ubuntu: apt install libimgui-dev. vcpkg: "
                      "imgui[glfw-binding,opengl3-binding]. Elsewhere: -DGRAVLAB_FETCH_DEPS=ON.")
endif()
gravlab_fetch(imgui)  # its repository has no CMakeLists.txt: this only unpacks
add_library(imgui_fetched STATIC
  ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_demo.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp
  ${imgui_SOURCE_DIR}/imgui_tables.cpp ${imgui_SOURCE_DIR}/imgui_widgets.cpp
  ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
target_include_directories(imgui_fetched SYSTEM PUBLIC ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends)
target_link_libraries(imgui_fetched PUBLIC glfw OpenGL::GL ${CMAKE_DL_LIBS})
add_library(imgui::imgui ALIAS imgui_fetched)
