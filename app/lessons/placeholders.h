// Numbers in the texts of a lesson: {run.energy_change}, {first / second}, {recorded:nvidia-h200:tiled:65536},
// {recorded(nvidia-h200-unroll tiled n=4096 unroll=1)}, and {89.1 = EXPRESSION}, a typed number that the expression must
// bear out. Rule: what stands in braces is understood when the file is read, or refused there; {{ and }} are braces.
#pragma once
#include "app/model/lesson.h"
#include "sim/core/value.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace gravlab {

struct Document;

/// What a name stands for: a parameter or fact of the document, or a number that was kept. Nothing: not known.
using NumberOf = std::function<Value(std::string_view name)>;
NumberOf numbersOf(const Document& document, const std::map<std::string, Value>& kept);

/// Names, numbers, + - * / ( ), log2(), sqrt() and recorded(), see app/model/recorded.h. A name by itself may be a text.
/// Nothing where a part is not known. Throws UsageError for what is no expression, or where `numberOf` throws.
Value evaluate(std::string_view expression, const NumberOf& numberOf);

/// Three digits, or what a text says; "(not measured)" for nothing.
std::string shownValue(const Value& value);

/// The text with every placeholder filled in. Throws UsageError.
std::string filledIn(std::string_view text, const NumberOf& numberOf);

/// The same with `blank` in place of what is not known; recorded numbers always are.
std::string blankedOut(std::string_view text, std::string_view blank, const NumberOf& numberOf = {});

/// Throws UsageError unless `typed`, such as "1,193" or "5.7", is the value rounded to the digits that it has.
void requireNumber(std::string_view typed, const Value& value);

/// Throws UsageError unless each placeholder names parameters, facts, or one of `kept`.
void requirePlaceholders(std::string_view text, const std::set<std::string, std::less<>>& kept);
void requireExpression(std::string_view expression, const std::set<std::string, std::less<>>& kept);

}  // namespace gravlab
