# glad::glad = OpenGL 4.5 core loader, generated at build time into the build folder by glad 2. Nothing generated is committed.
find_program(GLAD_EXECUTABLE glad REQUIRED)
set(_glad ${PROJECT_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${_glad}/src/gl.c ${_glad}/include/glad/gl.h
  COMMAND ${GLAD_EXECUTABLE} --quiet --reproducible --out-path ${_glad} --api gl:core=4.5 --extensions GL_KHR_debug c
  COMMENT "Generating the OpenGL loader")
enable_language(C)
add_library(glad STATIC ${_glad}/src/gl.c)
target_include_directories(glad SYSTEM PUBLIC ${_glad}/include)
target_link_libraries(glad PUBLIC ${CMAKE_DL_LIBS})
add_library(glad::glad ALIAS glad)
