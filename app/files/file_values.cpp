// Values of config and scene files.
#include "app/files/file_values.h"

#include "app/format.h"
#include "sim/core/error.h"

namespace gravlab {

std::string numberText(double value) { return formatted("%.9g", value); }

std::string flagText(bool value) { return value ? "true" : "false"; }

std::string inQuotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

bool parseFlag(const std::string& key, std::string_view value) {
    if (value != "true" && value != "false") throw UsageError(key + " must be true or false");
    return value == "true";
}

std::string parseWord(const std::string& key, std::string_view value) {
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') throw UsageError(key + " must be a name in quotes");
    return std::string(value.substr(1, value.size() - 2));
}

}  // namespace gravlab
