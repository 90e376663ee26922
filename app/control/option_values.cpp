#include "app/control/option_values.h"

#include "app/control/parameter.h"

namespace gravlab {
namespace {

/// Refuses what the row does not allow. Options and files leave a number out where scripts say auto.
void requireAllowed(std::string_view path, std::string_view option, const Value& value) {
    Parameter row = parameter(path);
    row.otherwise = {};
    checked(row, value, option, true);
}

}  // namespace

double parseNumber(std::string_view path, std::string_view option, std::string_view text) {
    const auto value = wholeText<double>(text);
    requireAllowed(path, option, value ? Value(*value) : Value(std::string(text)));
    return *value;
}

std::int64_t parseWhole(std::string_view path, std::string_view option, std::string_view text) {
    const auto value = wholeText<std::int64_t>(text);
    requireAllowed(path, option, value ? Value(*value) : Value(std::string(text)));
    return *value;
}

}  // namespace gravlab
