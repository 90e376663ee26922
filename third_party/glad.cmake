# glad::glad = OpenGL 4.5 core loader, generated at build time into the build folder by glad 2. Nothing generated is committed.
find_program(GLAD_EXECUTABLE glad)
set(_glad_command ${GLAD_EXECUTABLE})
if(NOT GLAD_EXECUTABLE AND GRAVLAB_FETCH_DEPS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)  # with the jinja2 module
  gravlab_fetch(glad)
  set(_glad_command ${CMAKE_COMMAND} -E env PYTHONPATH=${glad_SOURCE_DIR} ${Python3_EXECUTABLE} -m glad)
elseif(NOT GLAD_EXECUTABLE)
  message(FATAL_ERROR "The OpenGL loader generator glad 2 was not found. Debian 12, Ubuntu 24.04 and later: apt install "
                      "python3-glad. Elsewhere: pip install 'glad2>=2.0', then -DGLAD_EXECUTABLE=/path/to/glad.")
endif()
# glad 1 has the same name, with another command line and other output; only glad 2 can merge interfaces.
execute_process(COMMAND ${_glad_command} --help OUTPUT_VARIABLE _help ERROR_QUIET)
if(NOT _help MATCHES "--merge")
  message(FATAL_ERROR "glad 2 is needed, and '${_glad_command}' is not that. pip install 'glad2>=2.0', then "
                      "-DGLAD_EXECUTABLE=/path/to/glad.")
endif()
set(_glad ${PROJECT_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${_glad}/src/gl.c ${_glad}/include/glad/gl.h ${_glad}/include/KHR/khrplatform.h
  # Without --reproducible glad fetches the newest specification from the network.
  COMMAND ${_glad_command} --quiet --reproducible --out-path ${_glad} --api gl:core=4.5 --extensions GL_KHR_debug c
  COMMENT "Generating the OpenGL loader")
enable_language(C)
add_library(glad STATIC ${_glad}/src/gl.c ${_glad}/include/glad/gl.h)
set_target_properties(glad PROPERTIES OUTPUT_NAME gravlab_glad)  # installed beside libraries of other programs
target_include_directories(glad SYSTEM PUBLIC ${_glad}/include)
target_link_libraries(glad PUBLIC ${CMAKE_DL_LIBS})
add_library(glad::glad ALIAS glad)
