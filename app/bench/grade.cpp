#include "app/bench/grade.h"

#include "app/bench/benchmark_text.h"
#include "app/bench/kernel_source.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace gravlab {
namespace {

bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words and signs of a text; a name is "a".
std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    for (const SourceLine& line : colouredLines(text))
        for (const SourceSpan& span : line.spans) {
            std::string_view part = std::string_view(line.text).substr(static_cast<std::size_t>(span.first),
                                                                       static_cast<std::size_t>(span.last - span.first));
            switch (span.ink) {
                case SourceColours::comment:
                    break;
                case SourceColours::keyword:
                case SourceColours::number:
                case SourceColours::text:
                    words.emplace_back(part);
                    break;
                default:  // names, signs and directives
                    while (!part.empty()) {
                        std::size_t length = 1;
                        if (isWordLetter(part.front())) {
                            while (length < part.size() && isWordLetter(part[length])) ++length;
                            words.emplace_back(
                                std::isdigit(static_cast<unsigned char>(part.front())) ? part.substr(0, length) : "a");
                        } else if (!std::isspace(static_cast<unsigned char>(part.front()))) {
                            words.emplace_back(part.substr(0, 1));
                        }
                        part.remove_prefix(length);
                    }
            }
        }
    return words;
}

TextShape without(const TextShape& shape, const TextShape& common) {
    TextShape own;
    std::set_difference(shape.begin(), shape.end(), common.begin(), common.end(), std::back_inserter(own));
    return own;
}

std::size_t shared(const TextShape& one, const TextShape& other) {
    TextShape both;
    std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
    return both.size();
}

}  // namespace

TextShape shapeOf(std::string_view text) {
    const std::vector<std::string> words = wordsOf(text);
    TextShape shape;
    for (std::size_t begin = 0; begin + kShapeRun <= words.size(); ++begin) {
        std::string run;
        for (std::size_t k = begin; k < begin + kShapeRun; ++k) run += words[k] + " ";
        shape.push_back(std::hash<std::string>()(run));
    }
    std::sort(shape.begin(), shape.end());
    shape.erase(std::unique(shape.begin(), shape.end()), shape.end());
    return shape;
}

double likeness(const TextShape& one, const TextShape& other, const TextShape& common) {
    const TextShape a = without(one, common), b = without(other, common);
    const std::size_t least = std::min(a.size(), b.size());
    return least < kLeastOwn ? 0 : static_cast<double>(shared(a, b)) / static_cast<double>(least);
}

double shareIn(const TextShape& shape, const TextShape& other) {
    return shape.empty() ? 0 : static_cast<double>(shared(shape, other)) / static_cast<double>(shape.size());
}

int lineThatIncludes(std::string_view text) {
    // Logical lines: a backslash at the end of a line joins it with the next. Strings and comments are searched too, because
    // a text could hide a directive between marks that only look like theirs.
    std::string joined;
    std::vector<int> lines;
    int line = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool splice = text[at] == '\\' && (text.substr(at + 1, 1) == "\n" || text.substr(at + 1, 2) == "\r\n");
        if (splice) at += text[at + 1] == '\r' ? 2 : 1;
        if (!splice) {
            joined += text[at];
            lines.push_back(line);
        }
        if (text[at] == '\n') ++line;
    }
    const std::string_view all = joined;
    // The next place that is neither blank nor inside of a comment.
    const auto behindBlanks = [all](std::size_t at) {
        while (at < all.size()) {
            if (all[at] == ' ' || (all[at] >= '\t' && all[at] <= '\r' && all[at] != '\n'))
                ++at;
            else if (all.substr(at, 2) == "/*")
                at = std::min(all.find("*/", at + 2), all.size() - 2) + 2;
            else
                break;
        }
        return at;
    };
    for (std::size_t at = 0; at < all.size(); ++at) {
        if (all[at] != '#' && all.substr(at, 2) != "%:") continue;
        std::size_t word = behindBlanks(at + (all[at] == '#' ? 1 : 2));
        if (!all.substr(word).starts_with("include") && !all.substr(word).starts_with("import")) continue;
        while (word < all.size() && isWordLetter(all[word])) ++word;
        const std::size_t name = behindBlanks(word);
        const std::string_view rest = all.substr(name, std::min(all.find('\n', name), all.size()) - name);
        const std::string_view header = rest.substr(0, rest.find('>'));
        if (rest.starts_with('<') && !header.starts_with("</") && header.find("..") == std::string_view::npos) continue;
        const std::size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;  // npos + 1 is 0
        const std::string_view before = all.substr(behindBlanks(begin));
        if (before.starts_with("//") && all.substr(begin, at - begin).find("*/") == std::string_view::npos) continue;
        return lines[at];
    }
    return 0;
}

namespace {

constexpr std::string_view kYardstick = "tiled";
constexpr std::size_t kMostFiles = 1000;  // each text is compared with each other one
// Copies with all names changed have a likeness of 1, and each changed statement takes about 0.1 from a short kernel.
// Independent kernels of one method stay below 0.3 (tests/unit/grade_test.cpp).
constexpr double kCopied = 0.6, kUnchanged = 0.95;

std::vector<std::filesystem::path> kernelFiles(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    std::filesystem::directory_iterator entries(folder, error);
    for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error))
        if (namesKernelFile(entries->path().filename().string())) files.push_back(entries->path());
    if (error) throw InputError(folder.string() + " cannot be read as a folder: " + error.message());
    if (files.empty()) throw InputError(folder.string() + " has no kernels: their names end in .cu");
    if (files.size() > kMostFiles)
        throw InputError(folder.string() + " has " + std::to_string(files.size()) + " kernels; grade at most " +
                         std::to_string(kMostFiles) + " at once");
    std::sort(files.begin(), files.end());
    return files;
}

/// The number in "FILE:NUMBER: TEXT"; removes "FILE:NUMBER: " from the sentence. 0: it has another form.
int takeLine(std::string& sentence, std::string_view file) {
    if (!sentence.starts_with(std::string(file) + ":")) return 0;
    sentence.erase(0, file.size() + 1);
    int line = 0;
    const auto [end, error] = std::from_chars(sentence.data(), sentence.data() + sentence.size(), line);
    if (error == std::errc() && sentence.substr(static_cast<std::size_t>(end - sentence.data())).starts_with(": "))
        sentence.erase(0, static_cast<std::size_t>(end - sentence.data()) + 2);
    else
        line = 0;
    sentence = std::string(trimmed(sentence));
    return line;
}

OwnTrialReply tried(const GradeRequest& request, std::string text, std::string file, double softening,
                    const std::vector<Double4>& bodies) {
    OwnTrial trial({.text = std::move(text),
                    .file = std::move(file),
                    .device = request.device,
                    .softening = softening,
                    .bodies = bodies},
                   request.limits, request.program);
    return awaitTrial(trial);
}

double rateOf(const GradeSheet& sheet, double secondsPerForce) {
    const auto bodies = static_cast<double>(sheet.bodies);
    return secondsPerForce > 0 ? bodies * bodies / secondsPerForce : 0;
}
/// How many times as fast as the yardstick.
double gainOf(const GradeSheet& sheet, const Graded& row) {
    return row.reply.secondsPerForce > 0 ? sheet.secondsPerForce / row.reply.secondsPerForce : 0;
}
std::string copyText(const Graded& row) {
    return row.copied.empty() ? "" : formatted("%s (%.0f %%)", row.copied.c_str(), 100 * row.likeness);
}
/// A spreadsheet computes a cell that begins with one of these; "./" leaves the name of the same file.
std::string fileCell(const std::string& file) {
    const std::string name = printable(file);
    return csvCell((name.find_first_of("=+-@") == 0 ? "./" : "") + name);
}

}  // namespace

std::string_view verdictOf(const OwnTrialReply& reply) {
    switch (reply.fault) {
        case OwnFault::address:
            return "out of bounds";
        case OwnFault::endless:
            return "hangs";
        case OwnFault::trap:
            return "ends itself";
        case OwnFault::none:
            break;
    }
    switch (reply.outcome) {
        case OwnOutcome::good:
            return "good";
        case OwnOutcome::wrong:
            return "wrong";
        case OwnOutcome::badText:
            return "errors";
        case OwnOutcome::noDevice:
            return "compiles";
        case OwnOutcome::noCompiler:
        case OwnOutcome::unfinished:
        case OwnOutcome::failed:
            break;
    }
    return "failed";
}

std::vector<CompilerMessage> errorsOf(const Graded& row) {
    std::vector<CompilerMessage> errors;
    std::ranges::copy_if(row.reply.code.messages, std::back_inserter(errors), &CompilerMessage::error);
    const bool fine = row.reply.outcome == OwnOutcome::good || row.reply.outcome == OwnOutcome::noDevice;
    if (!errors.empty() || fine) return errors;
    std::string sentence = row.reply.sentence;
    const int line = takeLine(sentence, row.file);
    return {{line, true, sentence}};
}

GradeSheet gradeFolder(const GradeRequest& request, const std::function<void(const GradeSheet&)>& done) {
    const std::vector<std::filesystem::path> files = kernelFiles(request.folder);
    const Scene& scene = sceneNamed("plummer");
    const std::vector<Double4> bodies = inSingle(scene.build({request.bodies, request.seed, {}}));
    // The program's own text shows whether anything can run here, before a student's is blamed.
    OwnTrialReply yardstick =
        tried(request, std::string(ownTemplateText(kYardstick)), std::string(kYardstick) + ".cu", scene.softening, bodies);
    if (yardstick.outcome == OwnOutcome::noCompiler) throw NoDeviceError(yardstick.sentence);
    if (yardstick.outcome != OwnOutcome::noDevice && yardstick.outcome != OwnOutcome::good)
        throw DeviceError("the program's own text does not pass here, so no kernel is graded: " + yardstick.sentence);

    GradeSheet sheet{.device = {}, .bodies = request.bodies, .secondsPerForce = yardstick.secondsPerForce};
    if (sheet.ran()) {
        const BackendOptions options{.device = request.device};
        sheet.device = deviceBackend().make(options)->description();
    }
    for (const std::filesystem::path& path : files) {
        Graded& row = sheet.rows.emplace_back(Graded{.file = path.filename().string()});
        const auto bad = [&](const std::string& why) {
            row.reply.outcome = OwnOutcome::badText;
            row.reply.sentence = why;
        };
        try {
            // The page shows each text: that of a link could be any file that the reader of the folder may read.
            if (std::filesystem::is_symlink(std::filesystem::symlink_status(path)))
                throw InputError(path.string() + " is a link; hand in the file itself");
            row.text = ownTextOfFile(path.string());
            if (const int line = lineThatIncludes(row.text); line > 0)
                bad(path.string() + ":" + std::to_string(line) +
                    ": it includes another file, which would not be compared; write its text here");
        } catch (const InputError& error) {
            bad(error.what());
        } catch (const IoError& error) {
            bad(error.what());
        }
        if (row.reply.sentence.empty()) row.reply = tried(request, row.text, path.string(), scene.softening, bodies);
        // Messages name the file within its folder.
        std::string& sentence = row.reply.sentence;
        for (std::size_t at = 0; (at = sentence.find(path.string(), at)) != std::string::npos; at += row.file.size())
            sentence.replace(at, path.string().size(), row.file);
        row.reply.code.image.clear();
        done(sheet);
    }
    findCopies(sheet.rows);
    return sheet;
}

void findCopies(std::vector<Graded>& rows) {
    std::vector<TextShape> shapes;
    for (const Graded& row : rows) shapes.push_back(shapeOf(row.text));
    TextShape common;
    std::map<std::string, TextShape> offered;
    for (const OwnTemplate& row : ownTemplates()) {
        TextShape& shape = offered[std::string(row.name)] = shapeOf(ownTemplateText(row.name));
        common.insert(common.end(), shape.begin(), shape.end());
    }
    std::sort(common.begin(), common.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].copied.clear();
        rows[i].likeness = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const double share = k == i ? 0 : likeness(shapes[i], shapes[k], common);
            if (share < kCopied || share <= rows[i].likeness) continue;
            rows[i].likeness = share;
            rows[i].copied = rows[k].file;
        }
        for (const auto& [name, shape] : offered) {
            const double share = shareIn(shapes[i], shape);
            if (!rows[i].copied.empty() || share < kUnchanged) continue;
            rows[i].likeness = share;
            rows[i].copied = "the initial text " + name;
        }
    }
}

std::string gradeTableHead() {
    return formatted("%-28s %-14s %12s %14s %8s  %s\n", "file", "verdict", "ms a force", "interactions/s", "x tiled", "why");
}

std::string gradeTableLine(const GradeSheet& sheet, const Graded& row) {
    std::string why;
    for (const CompilerMessage& error : errorsOf(row)) {
        why = (error.line > 0 ? "line " + std::to_string(error.line) + ": " : "") + printable(error.text);
        break;
    }
    const double seconds = row.reply.secondsPerForce;
    return formatted("%-28s %-14s %12s %14s %8s  %s\n", printable(row.file).c_str(),
                     std::string(verdictOf(row.reply)).c_str(), seconds > 0 ? milliseconds(1e3 * seconds).text : "-",
                     seconds > 0 ? withPrefix(rateOf(sheet, seconds)).text : "-",
                     seconds > 0 ? formatted("%.2f", gainOf(sheet, row)).c_str() : "-", why.c_str());
}

std::string gradeCsv(const GradeSheet& sheet) {
    std::string text =
        "file,verdict,line,message,seconds_per_force,interactions_per_second,times_tiled,copied_from,likeness,bodies,"
        "device\n";
    for (const Graded& row : sheet.rows) {
        std::vector<CompilerMessage> errors = errorsOf(row);
        if (errors.empty()) errors.push_back({0, false, row.reply.sentence});
        for (const CompilerMessage& error : errors) {
            const double seconds = row.reply.secondsPerForce;
            text += fileCell(row.file) + "," + std::string(verdictOf(row.reply)) + "," +
                    (error.line > 0 ? std::to_string(error.line) : "") + "," + csvCell(printable(error.text)) + "," +
                    (seconds > 0 ? formatted("%.6g,%.6g,%.4g", seconds, rateOf(sheet, seconds), gainOf(sheet, row)) : ",,") +
                    "," + (row.copied.empty() ? "," : fileCell(row.copied) + formatted(",%.3f", row.likeness)) +
                    formatted(",%zu,", sheet.bodies) + csvCell(sheet.device) + "\n";
        }
    }
    return text;
}

namespace {

/// The text of a row with line numbers; errors stand below their lines.
std::string listing(const Graded& row) {
    std::multimap<int, std::string> errors;
    for (const CompilerMessage& error : errorsOf(row)) errors.emplace(error.line, printable(error.text));
    std::string text;
    const auto tell = [&](int line) {
        const auto [begin, end] = errors.equal_range(line);
        for (auto error = begin; error != end; ++error) text += "<p class=\"error\">" + htmlText(error->second) + "</p>\n";
    };
    tell(0);
    text += "<pre>";
    int number = 0;
    for (const SourceLine& line : colouredLines(row.text)) {
        ++number;
        const bool bad = errors.contains(number);
        if (bad) text += "<mark>";
        std::string shown;
        for (const char c : line.text) shown += c == '\t' ? std::string(4, ' ') : c == '\r' ? "" : std::string(1, c);
        text += formatted("%5d  ", number) + htmlText(printable(shown)) + (bad ? "</mark></pre>\n" : "\n");
        if (!bad) continue;
        tell(number);
        text += "<pre>";
    }
    return text + "</pre>\n";
}

}  // namespace

std::string gradeHtml(const GradeSheet& sheet) {
    std::string text =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Kernels</title>\n<style>\n"
        "body { font: 11pt/1.45 sans-serif; margin: 2em; }\ntable { border-collapse: collapse; }\n"
        "th, td { border: 1px solid #999; padding: 0.2em 0.6em; text-align: left; vertical-align: top; }\n"
        "td.number { text-align: right; }\ntr.good td:nth-child(2) { background: #d8f0d8; }\n"
        "tr.bad td:nth-child(2) { background: #f6d8d8; }\npre { margin: 0; font-size: 9pt; }\n"
        ".error { margin: 0 0 0 5em; color: #a00000; }\nmark { background: #f6d8d8; }\n</style>\n</head>\n<body>\n"
        "<h1>Kernels</h1>\n<p>" +
        (sheet.ran()
             ? htmlText(sheet.device) + formatted(", %s bodies. The initial text <code>tiled</code> takes %s ms.",
                                                  grouped(sheet.bodies).text, milliseconds(1e3 * sheet.secondsPerForce).text)
             : "There was no GPU: the kernels were compiled and compared. No force was checked, and none was timed.") +
        "</p>\n<table>\n<tr><th>file</th><th>verdict</th><th>ms a force</th><th>interactions/s</th><th>times tiled</th>"
        "<th>text like</th><th>errors</th></tr>\n";
    std::size_t number = 0;
    for (const Graded& row : sheet.rows) {
        const bool good = row.reply.outcome == OwnOutcome::good || row.reply.outcome == OwnOutcome::noDevice;
        const double seconds = row.reply.secondsPerForce;
        std::string errors;
        for (const CompilerMessage& error : errorsOf(row))
            errors += (errors.empty() ? "" : "<br>") + (error.line > 0 ? "line " + std::to_string(error.line) + ": " : "") +
                      htmlText(printable(error.text));
        text += formatted("<tr class=\"%s\"><td><a href=\"#k%zu\">", good ? "good" : "bad", ++number) +
                htmlText(printable(row.file)) + "</a></td><td>" + std::string(verdictOf(row.reply)) +
                "</td><td class=\"number\">" + (seconds > 0 ? milliseconds(1e3 * seconds).text : "") +
                "</td><td class=\"number\">" + (seconds > 0 ? withPrefix(rateOf(sheet, seconds)).text : "") +
                "</td><td class=\"number\">" + (seconds > 0 ? formatted("%.2f", gainOf(sheet, row)) : "") + "</td><td>" +
                htmlText(printable(copyText(row))) + "</td><td>" + errors + "</td></tr>\n";
    }
    text += "</table>\n";
    number = 0;
    for (const Graded& row : sheet.rows)
        text += formatted("<h2 id=\"k%zu\">", ++number) + htmlText(printable(row.file)) + "</h2>\n" + listing(row);
    return text + "</body>\n</html>\n";
}

}  // namespace gravlab
