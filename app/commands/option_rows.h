// How the rows of a command's options are written: names, placeholder, where the value goes and help; then what the option
// needs and excludes. Rule: a row may name a parameter, and takes range, words, unit and refusal from it.
#pragma once
#include "app/control/parameter.h"
#include "app/model/options.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gravlab {

class OptionRows {
public:
    /// A row that was added.
    struct Row {
        OptionRows& rows;
        std::string name;
        /// The option does nothing without the other one. `sentence` in place of the usual refusal.
        Row& needs(const std::string& other, std::string sentence = {}) { return tie({name, other, sentence, false}); }
        /// Not both of them.
        Row& excludes(const std::string& other, std::string sentence = {}) { return tie({name, other, sentence, true}); }
        /// Of a word: the refusal where it is left out.
        Row& required(std::string sentence) {
            rows.words_[name] = std::move(sentence);
            return *this;
        }

    private:
        friend OptionRows;
        struct Tie {
            std::string name, other, sentence;
            bool excludes = false;
        };
        Row& tie(Tie tie) {
            rows.ties_.push_back(std::move(tie));
            return *this;
        }
    };
    /// Takes the text of the option of that name. Throws UsageError.
    using Take = std::function<void(const std::string& name, const std::string& text)>;
    using TakeList = std::function<void(const std::string& name, const std::vector<std::string>& texts)>;

    OptionRows(CLI::App& app, Options& options) : app_(app), options_(options) {}
    Options& options() { return options_; }

    Row flag(const std::string& names, bool& to, const std::string& help);
    /// One that Options::given has, and nothing else.
    Row flag(const std::string& names, const std::string& help);
    /// One value; when it is given twice the last one counts.
    Row value(const std::string& names, const std::string& placeholder, Take take, const std::string& help);
    Row text(const std::string& names, const std::string& placeholder, std::string& to, const std::string& help);
    /// A file to be written, which has a name and is given once.
    Row output(const std::string& names, const std::string& placeholder, std::string& to, const std::string& help);
    /// What `read` makes of the name of the option and its text.
    template <class To, class Reads>
    Row read(const std::string& names, const std::string& placeholder, To& to, Reads reads, const std::string& help) {
        return value(
            names, placeholder, [&to, reads](auto& name, auto& text) { to = static_cast<To>(reads(name, text)); }, help);
    }
    template <class To>
    Row whole(const std::string& names, const std::string& placeholder, To& to, std::int64_t least, std::int64_t most,
              const std::string& help) {
        return read(
            names, placeholder, to, [=](auto& name, auto& text) { return wholeIn(name, text, least, most); }, help);
    }
    /// The name of the row that `find` gives for a text.
    template <class To, class Find>
    Row rowOf(const std::string& names, const std::string& placeholder, To& to, Find find, const std::string& help) {
        return read(
            names, placeholder, to, [find](auto&, auto& text) { return find(text).name; }, help);
    }
    /// What a parameter takes.
    template <class To>
    Row of(std::string_view path, const std::string& names, const std::string& placeholder, To& to,
           const std::string& help) {
        const auto take = [&to, &row = parameter(path)](auto& name, auto& text) {
            if (const auto number = numberOf(optionValue(row, name, text))) to = static_cast<To>(*number);
        };
        return value(names, placeholder, take, help);
    }
    /// Values separated by commas or spaces.
    Row list(const std::string& names, const std::string& placeholder, TakeList take, const std::string& help);
    Row numbersOfBodies(const std::string& names, std::vector<std::size_t>& to, const std::string& help);
    /// Each as a parameter takes it, with a unit where the scene has units. The parameter's word stands for `word`; of a
    /// setting one value alone is asked of the run as well where `asks`.
    template <class Number>
    Row listOf(std::string_view path, std::vector<Number>& to, const std::string& help, std::optional<Number> word = {},
               bool asks = false) {
        const Parameter& row = parameter(path);
        const std::string names(row.kept.option.empty() ? "--" + row.path.substr(row.path.find('.') + 1) : row.kept.option);
        const auto take = [this, &to, &row, word, asks](const std::string& name, const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
                const Value value = oneOf(row, name, text);
                if (asks && texts.size() == 1) row.ask(options_.simulation, value);
                const std::optional<double> number = numberOf(value);
                if (number || word) to.push_back(number ? static_cast<Number>(*number) : *word);
            }
        };
        return list(names, "LIST", take, help);
    }
    template <class Number>
    Row settingOrList(std::string_view path, std::vector<Number>& to) {
        return listOf<Number>(path, to, helpOf(parameter(path)) + "; a list in a figure over it", {}, true);
    }
    /// A word without a name before it.
    Row word(const std::string& name, std::string& to, const std::string& help);
    /// NAME=VALUE, as often as one likes.
    Row pairs(const std::string& name, std::map<std::string, double, std::less<>>& to, const std::string& example,
              const std::string& help);

    /// The option of a parameter. `when` stands before what help says.
    Row of(const Parameter& row, const std::string& when = {});
    /// The options of all rows that have one and for which `wanted` holds.
    template <class Wanted>
    void ofAll(Wanted wanted) {
        for (const Parameter& row : parameters()) {
            const bool others = row.kind == Kind::flag && sharing(row, &Kept::option);
            if (row.kept.option.starts_with("--") && !others && wanted(row)) of(row);
        }
    }

    /// Hands what options need and exclude to the parser: all are there now.
    void connect();
    /// Throws UsageError for a word that is missing.
    void requireWords() const;
    /// What the parser refuses, as a sentence with what to do.
    std::string sentenceOf(const CLI::ParseError& error) const;

private:
    static std::int64_t wholeIn(const std::string& name, const std::string& text, std::int64_t least, std::int64_t most);
    static std::string helpOf(const Parameter& row);
    Value oneOf(const Parameter& row, const std::string& name, const std::string& text) const;

    CLI::App& app_;
    Options& options_;
    std::vector<Row::Tie> ties_;
    std::map<std::string, std::string> words_;  ///< that must be given, and the refusals
};

}  // namespace gravlab
