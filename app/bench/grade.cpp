#include "app/bench/grade.h"

#include "app/bench/benchmark_text.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/text.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

namespace gravlab {
namespace {

bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

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
constexpr std::size_t kMostFiles = 1000;

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
/// A spreadsheet computes a cell that begins with one of these; "./" leaves the name of the same file.
std::string fileCell(const std::string& file) {
    const std::string name = printable(file);
    return csvCell((name.find_first_of("=+-@") == 0 ? "./" : "") + name);
}

}  // namespace

std::string_view verdictOf(const OwnTrialReply& reply) {
    if (reply.fault == OwnFault::address) return "out of bounds";
    if (reply.fault == OwnFault::endless) return "hangs";
    if (reply.fault == OwnFault::trap) return "ends itself";
    if (reply.outcome == OwnOutcome::good) return "good";
    if (reply.outcome == OwnOutcome::wrong) return "wrong";
    if (reply.outcome == OwnOutcome::badText) return "errors";
    return reply.outcome == OwnOutcome::noDevice ? "compiles" : "failed";
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
        std::string text;
        try {
            // A message shows a line of the text: that of a link could be of any file that the reader of the folder may
            // read.
            if (std::filesystem::is_symlink(std::filesystem::symlink_status(path)))
                throw InputError(path.string() + " is a link; hand in the file itself");
            text = ownTextOfFile(path.string());
            if (const int line = lineThatIncludes(text); line > 0)
                bad(path.string() + ":" + std::to_string(line) +
                    ": it includes another file, which may be any of this machine; write its text here");
        } catch (const InputError& error) {
            bad(error.what());
        } catch (const IoError& error) {
            bad(error.what());
        }
        if (row.reply.sentence.empty()) row.reply = tried(request, text, path.string(), scene.softening, bodies);
        // Messages name the file within its folder.
        std::string& sentence = row.reply.sentence;
        for (std::size_t at = 0; (at = sentence.find(path.string(), at)) != std::string::npos; at += row.file.size())
            sentence.replace(at, path.string().size(), row.file);
        row.reply.code.image.clear();
        done(sheet);
    }
    return sheet;
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
    std::string text = "file,verdict,line,message,seconds_per_force,interactions_per_second,times_tiled,bodies,device\n";
    for (const Graded& row : sheet.rows) {
        std::vector<CompilerMessage> errors = errorsOf(row);
        if (errors.empty()) errors.push_back({0, false, row.reply.sentence});
        for (const CompilerMessage& error : errors) {
            const double seconds = row.reply.secondsPerForce;
            text += fileCell(row.file) + "," + std::string(verdictOf(row.reply)) + "," +
                    (error.line > 0 ? std::to_string(error.line) : "") + "," + csvCell(printable(error.text)) + "," +
                    (seconds > 0 ? formatted("%.6g,%.6g,%.4g", seconds, rateOf(sheet, seconds), gainOf(sheet, row)) : ",,") +
                    formatted(",%zu,", sheet.bodies) + csvCell(sheet.device) + "\n";
        }
    }
    return text;
}

}  // namespace gravlab
