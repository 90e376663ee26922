# Writes a C++ source with `FUNCTION(name)`, which returns the bytes of each file in FILES by name. The assembler copies the
# bytes; where it cannot (no ELF), no file is embedded. The source declares the function itself, see embed.cmake.
set(symbols "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  set(symbol ${FUNCTION}${number})
  string(APPEND symbols "asm(\".pushsection .rodata\\n.global ${symbol}\\n.hidden ${symbol}\\n${symbol}:\\n.incbin \\\"${file}\\\"\\n\"\n"
    "    \".global ${symbol}End\\n.hidden ${symbol}End\\n${symbol}End:\\n.byte 0\\n.popsection\\n\");\n"
    "extern \"C\" const char ${symbol}[], ${symbol}End[];\n")
  string(APPEND rows "    if (name == \"${name}\") return {${symbol}, static_cast<std::size_t>(${symbol}End - ${symbol})};\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Generated: files of the project, embedded.\n#include <cstddef>\n#include <string_view>\n\n#if defined(__ELF__)\n${symbols}#endif\n
namespace gravlab {\nstd::string_view ${FUNCTION}(std::string_view name);\nstd::string_view ${FUNCTION}(std::string_view name) {\n#if defined(__ELF__)\n${rows}#endif\n    (void)name;\n    return {};\n}\n}  // namespace gravlab\n")
