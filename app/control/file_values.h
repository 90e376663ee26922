// Values of the KEY = VALUE lines of config and scene files, there and back. Rule: what is written is read again, and every
// refusal is a sentence that names the key.
#pragma once
#include <string>
#include <string_view>

namespace gravlab {

/// Nine digits: enough to give a float back.
std::string numberText(double value);
/// true or false
std::string flagText(bool value);
/// "text"
std::string inQuotes(std::string_view text);

/// Throws UsageError.
bool parseFlag(const std::string& key, std::string_view value);
/// What stands between the quotes. Throws UsageError.
std::string parseWord(const std::string& key, std::string_view value);

}  // namespace gravlab
