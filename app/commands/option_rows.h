// Builders for the options of a command: names, placeholder, destination and help, then what the option needs and excludes.
// Rule: a row may name a parameter, and then uses its range, words, unit and refusal.
#pragma once
#include "app/model/start_options.h"
#include "app/parameters/parameter.h"
#include "app/tables/text_values.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace gravlab {

class OptionRows {
public:
    /// A row that was added.
    struct Row {
        OptionRows& rows;
        std::string name;
        /// The option has no effect without the other one. `sentence` replaces the standard refusal.
        Row& needs(const std::string& other, std::string sentence = {}) { return tie({name, other, sentence, false}); }
        /// The option conflicts with the other one.
        Row& excludes(const std::string& other, std::string sentence = {}) { return tie({name, other, sentence, true}); }
        /// For a word: the refusal where it is missing.
        Row& required(std::string sentence) { return tie({{}, name, std::move(sentence), false}); }

    private:
        friend OptionRows;
        struct Tie {
            std::string name, other, sentence;  ///< an empty name: always
            bool excludes = false;
        };
        Row& tie(Tie tie) {
            rows.ties_.push_back(std::move(tie));
            return *this;
        }
    };
    /// Handles the text of the option with that name. Throws UsageError.
    using Take = std::function<void(const std::string& name, const std::string& text)>;
    using TakeList = std::function<void(const std::string& name, const std::vector<std::string>& texts)>;

    OptionRows(CLI::App& app, StartOptions& start) : app_(app), start_(start) {}
    StartOptions& start() { return start_; }

    Row flag(const std::string& names, bool& to, const std::string& help);
    /// An option with one value; the last of several counts.
    Row value(const std::string& names, const std::string& placeholder, Take take, const std::string& help);
    Row text(const std::string& names, const std::string& placeholder, std::string& to, const std::string& help);
    /// An output file. It needs a name, and the option is allowed once. `numbered`: a %d in the name stands for numbers.
    Row output(const std::string& names, const std::string& placeholder, std::string& to, const std::string& help,
               bool numbered = false);
    /// Stores the result of `read` for the option's name and text.
    template <class To, class Reads>
    Row read(const std::string& names, const std::string& placeholder, To& to, Reads reads, const std::string& help) {
        return value(
            names, placeholder, [&to, reads](auto& name, auto& text) { to = static_cast<To>(reads(name, text)); }, help);
    }
    template <class To>
    Row whole(const std::string& names, const std::string& placeholder, To& to, std::int64_t least, std::int64_t most,
              const std::string& help) {
        return read(
            names, placeholder, to, [=](auto& name, auto& text) { return parseInteger(name, text, least, most); }, help);
    }
    /// Stores the name of the row that `find` returns for a text.
    template <class To, class Find>
    Row rowOf(const std::string& names, const std::string& placeholder, To& to, Find find, const std::string& help) {
        return read(
            names, placeholder, to, [find](auto&, auto& text) { return find(text).name; }, help);
    }
    /// Stores a value that the parameter accepts.
    template <class To>
    Row of(std::string_view path, const std::string& names, const std::string& placeholder, To& to,
           const std::string& help) {
        const Parameter& row = parameter(path);
        const auto take = [&to, &row](auto& name, auto& text) {
            if (const auto number = numberOf(optionValue(row, name, text))) to = static_cast<To>(*number);
        };
        return grouped(row, value(names, placeholder, take, help));
    }
    /// Values separated by commas or spaces.
    Row list(const std::string& names, const std::string& placeholder, TakeList take, const std::string& help);
    Row numbersOfBodies(const std::string& names, std::vector<std::size_t>& to, const std::string& help);
    /// Values that the parameter accepts, with a unit where the scene has units. `word` replaces the parameter's word. Where
    /// `asks`, a single value of a setting is also stored in the run's request.
    template <class Number>
    Row listOf(std::string_view path, std::vector<Number>& to, const std::string& help, std::optional<Number> word = {},
               bool asks = false) {
        const Parameter& row = parameter(path);
        const std::string names(row.storedAs.option.empty() ? "--" + row.path.substr(row.path.find('.') + 1)
                                                            : row.storedAs.option);
        const auto take = [this, &to, &row, word, asks](const std::string& name, const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
                const Value value = oneOf(row, name, text);
                if (asks && texts.size() == 1) row.ask(start_.simulation, value);
                const std::optional<double> number = numberOf(value);
                if (number || word) to.push_back(number ? static_cast<Number>(*number) : *word);
            }
        };
        return grouped(row, list(names, "LIST", take, help));
    }
    template <class Number>
    Row settingOrList(std::string_view path, std::vector<Number>& to) {
        return listOf<Number>(path, to, helpOf(parameter(path)) + "; a list in a figure over it", {}, true);
    }
    /// A word without a name before it.
    Row word(const std::string& name, std::string& to, const std::string& help);
    /// Further words, any number.
    void words(const std::string& name, std::vector<std::string>& to, const std::string& help);
    /// NAME=VALUE, any number of times.
    Row pairs(const std::string& name, std::map<std::string, double, std::less<>>& to, const std::string& example,
              const std::string& help);

    /// The option of a parameter. `when` precedes its help.
    Row of(const Parameter& row, const std::string& when = {});
    void of(std::initializer_list<const char*> paths) {
        for (const char* path : paths) of(parameter(path));
    }
    /// The options of all rows that have one and satisfy `wanted`. Those of a window need the option `needs`, if there is
    /// one.
    template <class Wanted>
    void ofAll(Wanted wanted, const std::string& needs = {}) {
        for (const Parameter& row : parameters()) {
            const bool others = row.kind == Kind::flag && sharing(row, &StoredNames::option);
            if (!row.storedAs.option.starts_with("--") || others || !wanted(row)) continue;
            Row made = of(row);
            if (row.storedAs.window && !needs.empty()) made.needs(needs);
        }
    }

    /// Throws UsageError for a missing word, and where what options need is missing or what they exclude is given.
    void check() const;

private:
    /// Puts the option below the title of the parameter's topic, where the option has its name.
    Row grouped(const Parameter& row, Row made);
    static std::string helpOf(const Parameter& row);
    Value oneOf(const Parameter& row, const std::string& name, const std::string& text) const;

    CLI::App& app_;
    StartOptions& start_;
    std::vector<Row::Tie> ties_;
};

}  // namespace gravlab
