// Numbers of the command line and of files, as the table of parameters allows them.
#pragma once
#include "app/text_values.h"

namespace gravlab {

/// A number, or a whole one, of the parameter of that path, in the unit of options and files. Throws UsageError, which says
/// what the table of parameters allows.
double parseNumber(std::string_view path, std::string_view option, std::string_view text);
std::int64_t parseWhole(std::string_view path, std::string_view option, std::string_view text);

}  // namespace gravlab
