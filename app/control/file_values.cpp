// Values of config and scene files.
#include "app/control/file_values.h"

#include "app/format.h"
#include "sim/core/error.h"
#include "sim/io/toml_value.h"

namespace gravlab {

std::string numberText(double value) { return formatted("%.9g", value); }

std::string flagText(bool value) { return value ? "true" : "false"; }

std::string inQuotes(std::string_view text) { return tomlString(text); }

bool parseFlag(const std::string& key, std::string_view value) {
    const std::optional<Value> found = tomlValue(value);
    const auto* flag = found ? std::get_if<bool>(&*found) : nullptr;
    if (!flag) throw UsageError(key + " must be true or false");
    return *flag;
}

std::string parseWord(const std::string& key, std::string_view value) {
    const std::optional<Value> found = tomlValue(value);
    const auto* word = found ? std::get_if<std::string>(&*found) : nullptr;
    if (!word) throw UsageError(key + " must be a name in quotes");
    return *word;
}

}  // namespace gravlab
