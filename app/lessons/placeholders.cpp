#include "app/lessons/placeholders.h"

#include "app/model/recorded.h"
#include "app/parameters/parameter.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace gravlab {
namespace {

constexpr std::string_view kRecorded = "recorded:";

/// Parses sums of products of numbers, names and functions.
class Expression {
public:
    Expression(std::string_view text, const NumberOf& numberOf) : text_(text), rest_(trimmed(text)), numberOf_(numberOf) {}

    Value value() {
        const Value found = sum();
        if (!rest_.empty()) fail("'" + std::string(rest_) + "' is too much");
        return found;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw UsageError("'" + std::string(text_) + "' is no expression: " + why);
    }

    bool takes(char c) {
        rest_ = trimmed(rest_);
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// An unknown operand makes the result unknown, and a text is no operand.
    template <class Join>
    Value joined(const Value& left, const Value& right, Join join) const {
        if (isNothing(left) || isNothing(right)) return {};
        const auto a = gravlab::numberOf(left), b = gravlab::numberOf(right);
        if (!a || !b) fail("a text is no number");
        return join(*a, *b);
    }

    Value sum() {
        Value found = product();
        for (;;) {
            if (takes('+'))
                found = joined(found, product(), [](double a, double b) { return a + b; });
            else if (takes('-'))
                found = joined(found, product(), [](double a, double b) { return a - b; });
            else
                return found;
        }
    }

    Value product() {
        Value found = factor();
        for (;;) {
            if (takes('*'))
                found = joined(found, factor(), [](double a, double b) { return a * b; });
            else if (takes('/'))
                found = joined(found, factor(), [](double a, double b) { return a / b; });
            else
                return found;
        }
    }

    Value factor() {
        if (takes('(')) {
            const Value found = sum();
            if (!takes(')')) fail("a parenthesis does not end");
            return found;
        }
        const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
        const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
        if (!rest_.empty() && (digit(rest_.front()) || rest_.front() == '.')) {
            double number = 0;
            const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            if (error != std::errc{}) fail("a number is not understood");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            return number;
        }
        if (rest_.empty() || !letter(rest_.front())) fail("a name or number is missing");
        std::size_t length = 0;
        // A minus within a word belongs to the word: scene.toomre-q.
        while (length < rest_.size() && (letter(rest_[length]) || digit(rest_[length]) || rest_[length] == '.' ||
                                         (rest_[length] == '-' && length + 1 < rest_.size() && letter(rest_[length + 1]))))
            ++length;
        const std::string_view name = rest_.substr(0, length);
        rest_.remove_prefix(length);
        if (name == "recorded") {
            const std::size_t end = rest_.find(')');
            if (!takes('(') || end == std::string_view::npos) fail("recorded needs a parenthesis that ends");
            const std::string_view which = rest_.substr(0, rest_.find(')'));
            rest_.remove_prefix(which.size() + 1);
            return recordedNumber(which);
        }
        if (name == "log2" || name == "sqrt") {
            if (!takes('(')) fail("(" + std::string(name) + " needs a parenthesis");
            const Value of = sum();
            if (!takes(')')) fail("a parenthesis does not end");
            return joined(of, 0.0, [&](double x, double) { return name == "log2" ? std::log2(x) : std::sqrt(x); });
        }
        return numberOf_(name);
    }

    std::string_view text_, rest_;
    const NumberOf& numberOf_;
};

/// Replaces each placeholder by the text that `fill` returns for it.
std::string replaced(std::string_view text, const std::function<std::string(std::string_view)>& fill) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
            result += c;
            ++at;
        } else if (c == '{') {
            const std::size_t end = text.find('}', at);
            if (end == std::string_view::npos) throw UsageError("a brace does not end; {{ is a brace by itself");
            result += fill(text.substr(at + 1, end - at - 1));
            at = end;
        } else if (c == '}') {
            throw UsageError("a brace ends that did not begin; }} is a brace by itself");
        } else {
            result += c;
        }
    }
    return result;
}

/// "742 = EXPRESSION": the number as it is typed. Throws UsageError where the expression disagrees.
std::optional<std::string> heldText(std::string_view inside, const NumberOf& numberOf) {
    const std::size_t sign = inside.find('=');
    if (sign == std::string_view::npos || inside.substr(0, sign).find('(') != std::string_view::npos) return std::nullopt;
    const std::string_view typed = trimmed(inside.substr(0, sign));
    requireNumber(typed, evaluate(inside.substr(sign + 1), numberOf));
    return std::string(typed);
}

const NumberOf nobody = [](std::string_view) -> Value { return {}; };

NumberOf knownNames(const std::set<std::string, std::less<>>& kept) {
    return [&kept](std::string_view name) -> Value {
        if (!kept.contains(name)) parameter(name);
        return {};
    };
}

}  // namespace

NumberOf numbersOf(const Document& document, const std::map<std::string, Value>& kept) {
    return [&](std::string_view name) -> Value {
        if (const auto found = kept.find(std::string(name)); found != kept.end()) return found->second;
        const Parameter* row = findParameter(name);
        return row ? row->get(document) : Value();
    };
}

Value evaluate(std::string_view expression, const NumberOf& numberOf) { return Expression(expression, numberOf).value(); }

std::string shownValue(const Value& value) {
    if (isNothing(value)) return "(not measured)";
    const std::optional<double> number = numberOf(value);
    if (!number) {
        const auto* text = std::get_if<std::string>(&value);
        return text ? *text : valueText(value);
    }
    constexpr double kGrouped = 1000, kLargest = 1e15;
    const bool whole = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<std::uint64_t>(value);
    if ((whole || *number >= kGrouped) && *number >= 0 && *number < kLargest)
        return std::string(grouped(static_cast<std::uint64_t>(std::llround(*number))));
    return formatted("%.3g", *number);
}

std::string filledIn(std::string_view text, const NumberOf& numberOf) {
    return replaced(text, [&](std::string_view inside) {
        if (inside.starts_with(kRecorded)) return recordedText(inside.substr(kRecorded.size()));
        if (const auto held = heldText(inside, numberOf)) return *held;
        return shownValue(evaluate(inside, numberOf));
    });
}

std::string blankedOut(std::string_view text, std::string_view blank, const NumberOf& numberOf) {
    const NumberOf& known = numberOf ? numberOf : nobody;
    return replaced(text, [&](std::string_view inside) {
        if (inside.starts_with(kRecorded)) return recordedText(inside.substr(kRecorded.size()));
        if (const auto held = heldText(inside, known)) return *held;
        const Value value = evaluate(inside, known);
        return isNothing(value) ? std::string(blank) : shownValue(value);
    });
}

void requireNumber(std::string_view typed, const Value& value) {
    std::string digits(typed);
    std::erase(digits, ',');
    const std::optional<double> number = numberOf(valueOf(digits)), wanted = numberOf(value);
    if (!number) throw UsageError("'" + std::string(typed) + "' is no number");
    if (!wanted) throw UsageError("'" + std::string(typed) + "' has no recorded number to agree with");
    const std::size_t point = digits.find('.');
    const double decimals = point == std::string::npos ? 0 : static_cast<double>(digits.size() - point - 1);
    constexpr double kHalf = 0.5 + 1e-9;
    if (!(std::abs(*number - *wanted) <= kHalf * std::pow(10.0, -decimals)))
        throw UsageError("'" + std::string(typed) + "' should be " + shortestText(*wanted));
}

void requirePlaceholders(std::string_view text, const std::set<std::string, std::less<>>& kept) {
    filledIn(text, knownNames(kept));
}

void requireExpression(std::string_view expression, const std::set<std::string, std::less<>>& kept) {
    evaluate(expression, knownNames(kept));
}

}  // namespace gravlab
