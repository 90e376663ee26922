# Writes a C++ source with `FUNCTION(name)`, which returns the content of each file in FILES by name, and for "*" the names, a
# line each. The source declares the function itself, so that it includes no header of the program.
set(text "// Generated: files of the project, embedded.\n#include <string_view>\n\nnamespace gravlab {\nstd::string_view ${FUNCTION}(std::string_view name);\nstd::string_view ${FUNCTION}(std::string_view name) {\n")
set(names "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND names "${name}\\n")
  string(APPEND text "    if (name == \"${name}\") return R\"embedded(${content})embedded\";\n")
endforeach()
string(APPEND text "    if (name == \"*\") return \"${names}\";\n    return {};\n}\n} // namespace gravlab\n")
file(WRITE ${OUTPUT} "${text}")
