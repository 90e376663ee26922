// Numbers in the texts of a lesson: {run.energy_change}, {first / second}, {recorded:nvidia-h200:tiled:65536},
// {recorded(nvidia-h200-unroll tiled n=4096 unroll=1)}, and {89.1 = EXPRESSION}. The last one is a typed number that must
// agree with the expression.
// Rule: a placeholder is parsed when the file is read, or refused there; {{ and }} are braces.
#pragma once
#include "sim/core/value.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace gravlab {

struct Document;

/// The value of a name: a parameter or fact of the document, or a kept number. Nothing: unknown.
using NumberOf = std::function<Value(std::string_view name)>;
NumberOf numbersOf(const Document& document, const std::map<std::string, Value>& kept);

/// Evaluates names, numbers, + - * / ( ), log2(), sqrt() and recorded(), see app/model/recorded.h. A single name may be a
/// text. Returns nothing where a part is unknown. Throws UsageError for an invalid expression, or where `numberOf` throws.
Value evaluate(std::string_view expression, const NumberOf& numberOf);

/// The value with three digits, or the text of a value; "(not measured)" for nothing.
std::string shownValue(const Value& value);

/// The text with all placeholders replaced by values. Throws UsageError.
std::string filledIn(std::string_view text, const NumberOf& numberOf);

/// The text with `blank` in place of unknown values; recorded numbers are always known.
std::string blankedOut(std::string_view text, std::string_view blank, const NumberOf& numberOf = {});

/// Throws UsageError unless `typed`, such as "1,193" or "5.7", is the value rounded to the same digits.
void requireNumber(std::string_view typed, const Value& value);

/// Throws UsageError unless each placeholder names parameters, facts, or one of `kept`.
void requirePlaceholders(std::string_view text, const std::set<std::string, std::less<>>& kept);
void requireExpression(std::string_view expression, const std::set<std::string, std::less<>>& kept);

}  // namespace gravlab
