// One walk over the lesson writes both: a Sheet knows how its language says a heading, a paragraph, a table.
#include "app/lessons/worksheet.h"

#include "app/control/action.h"
#include "app/control/parameter.h"
#include "app/lessons/lesson_text.h"
#include "app/lessons/placeholders.h"
#include "app/model/recorded.h"

#include <utility>
#include <vector>

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
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + safe(title) +
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
    void code(const std::string& text) override { text_ += "<pre>" + safe(text) + "</pre>\n"; }
    void table(const RecordedTable& table) override {
        text_ += "<p>" + safe(table.heading) + "</p>\n<table>\n<tr><th></th>";
        for (const std::string& column : table.columns) text_ += "<th>" + safe(column) + "</th>";
        text_ += "</tr>\n";
        for (const auto& row : table.rows) {
            text_ += "<tr>";
            for (const std::string& cell : row) text_ += "<td>" + safe(cell) + "</td>";
            text_ += "</tr>\n";
        }
        text_ += "</table>\n";
    }
    std::string text() override { return text_ + "</body>\n</html>\n"; }

private:
    static std::string safe(std::string_view text) {
        std::string result;
        for (const char c : text)
            result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
        return result;
    }
    /// Words between backticks are program text.
    static std::string marked(std::string_view text) {
        std::string result;
        bool inside = false;
        for (const char c : safe(text)) {
            if (c != '`')
                result += c;
            else
                result += std::exchange(inside, !inside) ? "</code>" : "<code>";
        }
        return inside ? result + "</code>" : result;
    }
    std::string text_;
};

void writeText(Sheet& sheet, std::string_view text) {
    std::vector<std::string> points;
    const auto flush = [&] {
        if (!points.empty()) sheet.points(std::exchange(points, {}));
    };
    for (const TextBlock& block : blocksOf(blankedOut(text, kBlank))) {
        if (block.kind == TextBlock::Kind::point) {
            points.push_back(block.text);
            continue;
        }
        flush();
        if (block.kind == TextBlock::Kind::code)
            sheet.code(block.text);
        else
            sheet.paragraph(block.text);
    }
    flush();
}

std::string answerText(const LessonQuestion& question) {
    if (question.choices.empty()) return shownValue(question.answer);
    return blankedOut(question.choices[static_cast<std::size_t>(question.answer) - 1], kBlank);
}

void writeQuestion(Sheet& sheet, const std::string& label, const LessonQuestion& question, bool answers) {
    sheet.paragraph(label + blankedOut(question.text, kBlank), true);
    std::vector<std::string> boxes;
    for (const std::string& choice : question.choices) boxes.push_back("[ ] " + blankedOut(choice, kBlank));
    if (boxes.empty())
        sheet.paragraph(std::string(kBlank));
    else
        sheet.points(boxes);
    if (!answers) return;
    sheet.paragraph("Answer: " + answerText(question));
    if (!question.why.empty()) writeText(sheet, question.why);
}

std::string labelOf(const std::string& control) {
    if (const Parameter* row = findParameter(control)) return std::string(row->label) + " (" + control + ")";
    return std::string(actionOf(control).label);
}

void write(Sheet& sheet, const Lesson& lesson, bool answers) {
    sheet.heading(1, lesson.title + (answers ? ": answers" : ""));
    sheet.paragraph(lesson.idea);
    sheet.paragraph("In the program: gravlab --lesson " + lesson.name +
                    (lesson.minutes > 0 ? ", about " + std::to_string(lesson.minutes) + " minutes." : "."));
    int number = 0;
    for (const LessonStep& step : lesson.steps) {
        sheet.heading(2, std::to_string(++number) + ". " + step.title);
        if (!step.needs.empty()) sheet.paragraph("(With the backend " + step.needs + ".)");
        writeText(sheet, step.text);
        if (step.predict) writeQuestion(sheet, "First: ", *step.predict, answers);
        if (step.recorded) sheet.table(recordedTable(*step.recorded));
        if (!step.task.empty())
            sheet.paragraph("Do: " + blankedOut(step.task, kBlank) +
                            (step.control.empty() ? "" : " [" + labelOf(step.control) + "]"));
        if (answers && !step.show.empty()) {
            std::string lines;
            for (const LessonLine& line : step.show) lines += (lines.empty() ? "" : "\n") + line.text;
            sheet.code(lines);
        }
        std::vector<std::string> numbers;
        for (const LessonNumber& kept : step.keep)
            numbers.push_back(kept.name + " = " + std::string(kBlank) + " (" + kept.expression + ")");
        if (!numbers.empty()) sheet.points(numbers);
        if (answers) writeText(sheet, step.explain);
        if (step.question) writeQuestion(sheet, "Question: ", *step.question, answers);
    }
}

}  // namespace

std::string worksheetMarkdown(const Lesson& lesson, bool answers) {
    Markdown sheet;
    write(sheet, lesson, answers);
    return sheet.text();
}

std::string worksheetHtml(const Lesson& lesson, bool answers) {
    Html sheet(lesson.title);
    write(sheet, lesson, answers);
    return sheet.text();
}

}  // namespace gravlab
