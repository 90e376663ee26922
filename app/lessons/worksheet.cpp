// One pass over the lesson writes both formats: a Sheet knows the syntax of a heading, a paragraph or a table.
#include "app/lessons/worksheet.h"

#include "app/control/action.h"
#include "app/lessons/placeholders.h"
#include "app/model/recorded.h"
#include "app/parameters/parameter.h"
#include "app/plots/diagram.h"
#include "app/tables/format.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gravlab {

namespace {

constexpr std::string_view kBlank = "________";

class Sheet {
public:
    virtual ~Sheet() = default;
    virtual void heading(int level, const std::string& text) = 0;
    virtual void paragraph(const std::string& text, bool strong = false) = 0;
    virtual void points(const std::vector<std::string>& texts) = 0;
    virtual void code(const std::string& text) = 0;
    virtual void table(const RecordedTable& table) = 0;
    virtual void picture(const Diagram& which) = 0;
    virtual std::string text() = 0;
};

class Markdown : public Sheet {
public:
    void heading(int level, const std::string& text) override {
        text_ += std::string(static_cast<std::size_t>(level), '#') + " " + text + "\n\n";
    }
    void paragraph(const std::string& text, bool strong) override { text_ += (strong ? "**" + text + "**" : text) + "\n\n"; }
    void points(const std::vector<std::string>& texts) override {
        for (const std::string& text : texts) text_ += "- " + text + "\n";
        text_ += "\n";
    }
    void code(const std::string& text) override { text_ += "```\n" + text + "\n```\n\n"; }
    void picture(const Diagram& which) override {
        paragraph("(A picture, in the program: " + std::string(which.idea) + ")", false);
    }
    void table(const RecordedTable& table) override {
        text_ += table.heading + "\n\n| ";
        std::string rule = "| --- ";
        for (const std::string& column : table.columns) {
            text_ += "| " + column + " ";
            rule += "| --- ";
        }
        text_ += "|\n" + rule + "|\n";
        for (const auto& row : table.rows) {
            for (const std::string& cell : row) text_ += "| " + cell + " ";
            text_ += "|\n";
        }
        text_ += "\n";
    }
    std::string text() override { return std::move(text_); }

private:
    std::string text_;
};

class Html : public Sheet {
public:
    explicit Html(const std::string& title) {
        text_ =
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + htmlText(title) +
            "</title>\n<style>\nbody { font: 11pt/1.45 serif; max-width: 42em; margin: 2em auto; padding: 0 1em; }\n"
            "h1, h2, th { font-family: sans-serif; }\nh2 { margin-top: 1.6em; break-after: avoid; }\n"
            "table { border-collapse: collapse; }\nth, td { border: 1px solid #999; padding: 0.2em 0.6em; }\n"
            "pre { background: #f2f2f2; padding: 0.5em; font-size: 9pt; }\nul { break-inside: avoid; }\n</style>\n</head>\n"
            "<body>\n";
    }
    void heading(int level, const std::string& text) override {
        const std::string tag = "h" + std::to_string(level);
        text_ += "<" + tag + ">" + marked(text) + "</" + tag + ">\n";
    }
    void paragraph(const std::string& text, bool strong) override {
        text_ += "<p>" + (strong ? "<strong>" + marked(text) + "</strong>" : marked(text)) + "</p>\n";
    }
    void points(const std::vector<std::string>& texts) override {
        text_ += "<ul>\n";
        for (const std::string& text : texts) text_ += "<li>" + marked(text) + "</li>\n";
        text_ += "</ul>\n";
    }
    void code(const std::string& text) override { text_ += "<pre>" + htmlText(text) + "</pre>\n"; }
    void picture(const Diagram& which) override {
        text_ += "<img alt=\"" + htmlText(which.idea) + "\" style=\"width: 100%\" src=\"data:image/png;base64," +
                 base64(diagramPng(which)) + "\">\n";
    }
    void table(const RecordedTable& table) override {
        text_ += "<p>" + htmlText(table.heading) + "</p>\n<table>\n<tr><th></th>";
        for (const std::string& column : table.columns) text_ += "<th>" + htmlText(column) + "</th>";
        text_ += "</tr>\n";
        for (const auto& row : table.rows) {
            text_ += "<tr>";
            for (const std::string& cell : row) text_ += "<td>" + htmlText(cell) + "</td>";
            text_ += "</tr>\n";
        }
        text_ += "</table>\n";
    }
    std::string text() override { return text_ + "</body>\n</html>\n"; }

private:
    /// Text between backticks is program text.
    static std::string marked(std::string_view text) {
        std::string result;
        bool inside = false;
        for (const char c : htmlText(text)) {
            if (c != '`')
                result += c;
            else
                result += std::exchange(inside, !inside) ? "</code>" : "<code>";
        }
        return inside ? result + "</code>" : result;
    }
    std::string text_;
};

/// Writes one lesson: with blanks for students, or with answers and measured numbers for teachers.
class Writer {
public:
    Writer(Sheet& sheet, const LessonAnswers* answers) : sheet_(sheet), answers_(answers) {}

    void write(const Lesson& lesson) {
        sheet_.heading(1, lesson.title + (answers_ ? ": answers" : ""));
        sheet_.paragraph(lesson.idea);
        sheet_.paragraph("In the program: gravlab --lesson " + lesson.name +
                         (lesson.minutes > 0 ? ", about " + std::to_string(lesson.minutes) + " minutes." : "."));
        if (answers_ && !answers_->about.empty()) sheet_.paragraph(answers_->about);
        int number = 0;
        for (const LessonStep& step : lesson.steps) {
            sheet_.heading(2, std::to_string(++number) + ". " + step.title);
            write(step);
        }
    }

private:
    std::string filled(std::string_view text) const {
        const NumberOf numbers = [&](std::string_view name) -> Value {
            const auto found = answers_ ? answers_->numbers.find(std::string(name)) : Numbers::const_iterator();
            return answers_ && found != answers_->numbers.end() ? found->second : Value();
        };
        return blankedOut(text, kBlank, numbers);
    }

    void write(const LessonStep& step) {
        if (!step.needs.empty()) sheet_.paragraph("(With the backend " + step.needs + ".)");
        text(step.text);
        if (!step.picture.empty()) sheet_.picture(diagram(step.picture));
        if (step.predict) question("First: ", *step.predict);
        if (step.recorded) sheet_.table(recordedTable(*step.recorded));
        if (!step.task.empty())
            sheet_.paragraph("Do: " + filled(step.task) + (step.control.empty() ? "" : " [" + labelOf(step.control) + "]"));
        if (answers_ && !step.show.empty()) {
            std::string lines;
            for (const LessonLine& line : step.show) lines += (lines.empty() ? "" : "\n") + line.text;
            sheet_.code(lines);
        }
        std::vector<std::string> numbers;
        for (const LessonNumber& kept : step.keep) numbers.push_back(keptText(step, kept));
        if (!numbers.empty()) sheet_.points(numbers);
        if (answers_) text(step.explain);
        if (step.question) question("Question: ", *step.question);
    }

    /// "Apart, root mean square of the distances [L]: ________ (first)". The name is that of later expressions. Teachers get
    /// the number, and the range for a class.
    std::string keptText(const LessonStep& step, const LessonNumber& kept) const {
        const std::string& sum = kept.expression;
        const Parameter* row = findParameter(sum.substr(0, sum.find(' ')));
        std::string what = row ? std::string(row->label) + ", " + std::string(row->idea) : kept.name;
        const bool billions = sum.ends_with(" / 1000000000"), thousandths = sum.ends_with(" * 1000");
        if (row && row->path == sum && !row->unit.empty()) what += " [" + std::string(row->unit) + "]";
        if (row && row->path != sum) what += billions ? ", in billions" : thousandths ? ", in thousandths" : ", " + sum;
        if (!row) what[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(what[0])));
        std::ranges::replace(what, '_', ' ');
        what += ": " + filled("{" + kept.name + "}") + " (" + (row ? kept.name : sum);
        const auto range =
            std::find_if(step.ranges.begin(), step.ranges.end(), [&](const LessonRange& r) { return r.name == kept.name; });
        if (answers_ && range != step.ranges.end())
            what += "; a class may get " + shownValue(range->least) + " to " + shownValue(range->most);
        return what + ")";
    }

    void text(std::string_view text) {
        std::vector<std::string> points;
        const auto flush = [&] {
            if (!points.empty()) sheet_.points(std::exchange(points, {}));
        };
        for (const TextBlock& block : blocksOf(filled(text))) {
            if (block.kind == TextBlock::Kind::point) {
                points.push_back(block.text);
                continue;
            }
            flush();
            if (block.kind == TextBlock::Kind::code)
                sheet_.code(block.text);
            else
                sheet_.paragraph(block.text);
        }
        flush();
    }

    void question(const std::string& label, const LessonQuestion& item) {
        sheet_.paragraph(label + filled(item.text), true);
        std::vector<std::string> boxes;
        for (const std::string& choice : item.choices) boxes.push_back("[ ] " + filled(choice));
        if (boxes.empty())
            sheet_.paragraph(std::string(kBlank));
        else
            sheet_.points(boxes);
        if (!answers_) return;
        sheet_.paragraph("Answer: " + (item.choices.empty()
                                           ? shownValue(item.answer)
                                           : filled(item.choices[static_cast<std::size_t>(item.answer) - 1])));
        if (!item.why.empty()) text(item.why);
    }

    static std::string labelOf(const std::string& control) {
        if (const Parameter* row = findParameter(control)) return std::string(row->label) + " (" + control + ")";
        return std::string(actionOf(control).label);
    }

    using Numbers = std::map<std::string, Value>;
    Sheet& sheet_;
    const LessonAnswers* answers_;
};

}  // namespace

std::string worksheetMarkdown(const Lesson& lesson, const LessonAnswers* answers) {
    Markdown sheet;
    Writer(sheet, answers).write(lesson);
    return sheet.text();
}

std::string worksheetHtml(const Lesson& lesson, const LessonAnswers* answers) {
    Html sheet(lesson.title);
    Writer(sheet, answers).write(lesson);
    return sheet.text();
}

std::vector<TextBlock> blocksOf(std::string_view text) {
    constexpr std::string_view kCode = "    ", kPoint = "- ";
    using Block = TextBlock::Kind;
    std::vector<TextBlock> blocks;
    bool continues = false;
    for (const std::string_view line : linesOf(text)) {
        const std::string_view words = trimmed(line);
        if (words.empty()) {
            continues = false;
            continue;
        }
        const bool code = line.starts_with(kCode), point = words.starts_with(kPoint);
        const Block kind = code ? Block::code : point ? Block::point : Block::paragraph;
        const bool joins =
            continues && (code ? blocks.back().kind == Block::code : !point && blocks.back().kind != Block::code);
        const std::string_view shown = code ? line.substr(kCode.size()) : point ? trimmed(words.substr(2)) : words;
        if (joins)
            blocks.back().text += (code ? "\n" : " ") + std::string(shown);
        else
            blocks.push_back({kind, std::string(shown)});
        continues = true;
    }
    return blocks;
}

}  // namespace gravlab
