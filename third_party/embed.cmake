# Writes a C++ source with `embeddedFile(name)` for every file in FILES.
set(text "// Generated from shaders/.\n#include \"render/embedded.h\"\n\nnamespace gravlab {\nstd::string_view embeddedFile(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "    if (name == \"${name}\") return R\"glsl(${content})glsl\";\n")
endforeach()
string(APPEND text "    return {};\n}\n} // namespace gravlab\n")
file(WRITE ${OUTPUT} "${text}")
