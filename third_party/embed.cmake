# Writes a C++ source with `FUNCTION(name)`, declared in HEADER, that gives the content of every file in FILES by its name.
set(text "// Generated: files of the project, embedded.\n#include \"${HEADER}\"\n\nnamespace gravlab {\nstd::string_view ${FUNCTION}(std::string_view name) {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "    if (name == \"${name}\") return R\"embedded(${content})embedded\";\n")
endforeach()
string(APPEND text "    return {};\n}\n} // namespace gravlab\n")
file(WRITE ${OUTPUT} "${text}")
