// A lesson at the right, in place of the measurements: text, task, the student's own numbers, questions; or the list of
// lessons.
#include "app/bench/kernel_source.h"
#include "app/lessons/lesson_runner.h"
#include "app/lessons/placeholders.h"
#include "app/lessons/worksheet.h"
#include "app/model/recorded.h"
#include "app/plots/diagram.h"
#include "app/ui/parameter_widgets.h"
#include "app/ui/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace gravlab {
namespace {

constexpr float kLargeSmall = 1.5f;  // scale of the small fonts in large type

constexpr Control kNumber{"lesson_number", "Your number", "Type a number; Enter gives the answer"};
constexpr Control kKernel{"lesson_kernel", "The kernel's text",
                          "The text as compiled; lines that the rung below lacks are brighter"};
constexpr std::array<Control, 6> kChoices{{{"lesson_choice/1", "1", "Take this answer"},
                                           {"lesson_choice/2", "2", "Take this answer"},
                                           {"lesson_choice/3", "3", "Take this answer"},
                                           {"lesson_choice/4", "4", "Take this answer"},
                                           {"lesson_choice/5", "5", "Take this answer"},
                                           {"lesson_choice/6", "6", "Take this answer"}}};
constexpr Control kRow{"lesson_row", "", "Begin this lesson"};

/// The step that the panel has shown last.
struct ShownStep {
    const LessonStep* step = nullptr;
    bool explained = false, judged = false;  ///< explanation and answer have come into sight
    float text = 0, foot = 0;                ///< heights in the last frame; the foot stays in sight below the text
    float fit = 1;                           ///< part of the size of letters with which the open question has room
};

/// Scale of the large font in large type: on a projector all letters are large already.
float letters(PanelContext& p) {
    const float s = p.widgets.scale();
    return (p.document.lesson.large && s > 1 ? 0.5f * (1 + s) / s : 1) * p.widgets.kept<ShownStep>().fit;
}

/// The same for the other fonts.
float smallLetters(PanelContext& p) { return (p.document.lesson.large ? kLargeSmall : 1) * p.widgets.kept<ShownStep>().fit; }

/// Uses a font beside the text's own during its lifetime.
class Beside {
public:
    Beside(PanelContext& p, ImFont* font) : letters_(letters(p)) {
        ImGui::SetWindowFontScale(smallLetters(p));
        ImGui::PushFont(font);
    }
    ~Beside() {
        ImGui::PopFont();
        ImGui::SetWindowFontScale(letters_);
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

private:
    float letters_;
};

void section(PanelContext& p, const char* title) {
    const Beside small(p, p.widgets.fonts().small);
    p.widgets.section(title);
}

/// The text with its numbers, without marks for program text, which need two fonts.
std::string plainText(PanelContext& p, std::string_view text) {
    std::string shown = filledIn(text, numbersOf(p.document, p.document.lesson.kept));
    std::erase(shown, '`');
    return shown;
}

void drawText(PanelContext& p, std::string_view text, ImU32 colour) {
    const float s = p.widgets.scale();
    for (const TextBlock& block : blocksOf(plainText(p, text))) {
        if (block.kind == TextBlock::Kind::code) {
            const Beside mono(p, p.widgets.fonts().mono);
            colouredText(colour, block.text);
        } else {
            if (block.kind == TextBlock::Kind::point) ImGui::Bullet();
            p.widgets.wrapped(colour, block.text);
        }
        ImGui::Dummy(ImVec2(0, 2 * s));
    }
}

enum class AnswerMark { none, mine, right, wrong };

ImU32 colourOf(AnswerMark mark) {
    return mark == AnswerMark::right   ? palette::kGood
           : mark == AnswerMark::wrong ? palette::kBad
           : mark == AnswerMark::mine  ? palette::kAccent
                                       : palette::kText;
}

/// A tick or a cross, so that the result does not depend on colour.
void drawMark(AnswerMark mark, ImVec2 at, float size) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (mark == AnswerMark::right) ImGui::RenderCheckMark(&list, at, colourOf(mark), size);
    if (mark != AnswerMark::wrong) return;
    const ImVec2 to(at.x + size, at.y + size);
    list.AddLine(at, to, colourOf(mark), palette::line(0.14f * size));
    list.AddLine(ImVec2(at.x, to.y), ImVec2(to.x, at.y), colourOf(mark), palette::line(0.14f * size));
}

constexpr float kAnswerPad = 6;  // pixels at scale 1

/// The lines of a choice, as many as necessary.
std::string answerLines(PanelContext& p, const std::string& text) {
    const float marked = 3 * kAnswerPad * p.widgets.scale() + ImGui::GetFontSize();
    return linesWithin(plainText(p, text), ImGui::GetContentRegionAvail().x - marked);
}

/// Height of an open question and its choices in the letters in use.
float heightOf(PanelContext& p, const LessonQuestion& question) {
    const float s = p.widgets.scale(), gap = ImGui::GetStyle().ItemSpacing.y;
    const auto high = [](const std::string& lines) { return ImGui::CalcTextSize(lines.c_str()).y; };
    float sum = 5 * s + smallLetters(p) * p.widgets.fonts().heading->FontSize + 2 * gap;  // its heading
    for (const TextBlock& block : blocksOf(plainText(p, question.text)))
        sum += high(linesWithin(block.text, ImGui::GetContentRegionAvail().x)) + 2 * s + 2 * gap;
    for (const std::string& choice : question.choices) sum += high(answerLines(p, choice)) + 2 * kAnswerPad * s + gap;
    return question.choices.empty() ? sum + ImGui::GetFrameHeightWithSpacing() : sum;
}

bool drawAnswer(PanelContext& p, std::size_t which, const std::string& text, AnswerMark mark, bool open) {
    const float pad = kAnswerPad * p.widgets.scale(), width = ImGui::GetContentRegionAvail().x;
    const float letter = ImGui::GetFontSize();
    const std::string shown = answerLines(p, text);
    const ImVec2 size = ImGui::CalcTextSize(shown.c_str());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(which));
    ImGui::BeginDisabled(!open);
    const bool pressed = ImGui::Button("##choice", ImVec2(width, size.y + 2 * pad));
    ImGui::EndDisabled();
    ImGui::PopID();
    p.widgets.finishQuietly(kChoices[which]);
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + pad, at.y + pad), colourOf(mark), shown.c_str());
    drawMark(mark, ImVec2(at.x + width - pad - 0.8f * letter, at.y + pad + 0.1f * letter), 0.8f * letter);
    return pressed;
}

/// An answer in words: the text of a choice, or the number.
std::string said(PanelContext& p, const LessonQuestion& question, double answer) {
    const auto choice = static_cast<std::size_t>(answer);
    if (question.choices.empty() || choice < 1 || choice > question.choices.size()) return shownValue(answer);
    return "'" + plainText(p, question.choices[choice - 1]) + "'";
}

/// `given`: the answer; a prediction is judged only after the student has seen the result.
void drawQuestion(PanelContext& p, const LessonQuestion& question, const std::optional<double>& given, bool judged) {
    drawText(p, question.text, palette::kText);
    const bool open = !given;
    for (std::size_t i = 0; i < std::min(question.choices.size(), kChoices.size()); ++i) {
        const bool mine = given && *given == static_cast<double>(i + 1);
        const bool right = judged && given && question.answer == static_cast<double>(i + 1);
        const AnswerMark mark = right            ? AnswerMark::right
                                : mine && judged ? AnswerMark::wrong
                                : mine           ? AnswerMark::mine
                                                 : AnswerMark::none;
        if (drawAnswer(p, i, question.choices[i], mark, open) && open)
            invoke(p, "lesson-answer", {static_cast<std::int64_t>(i + 1)});
    }
    if (question.choices.empty() && open) {
        std::string typed;
        p.widgets.label(kNumber);
        if (p.widgets.field(kNumber, ImGui::GetContentRegionAvail().x, "", typed) && !typed.empty())
            invoke(p, "lesson-answer", {valueOf(typed)});
    }
    if (!given) return;
    const std::string answer = said(p, question, *given);
    if (!judged) return p.widgets.wrapped(palette::kAccent, "You said " + answer + ".");
    const bool right = isRight(question, *given);
    const std::string verdict =
        right ? "Right: you said " + answer + "."
              : "Not quite: you said " + answer + ", and it is " + said(p, question, question.answer) + ".";
    p.widgets.wrapped(right ? palette::kGood : palette::kWarning, verdict);
    drawText(p, question.why, palette::kText);
}

void drawCells(const std::vector<std::string>& row) {
    for (const std::string& cell : row) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(cell.c_str());
    }
}

void drawRecorded(PanelContext& p, const LessonTable& which) {
    const RecordedTable table = recordedTable(which);
    const Beside small(p, p.widgets.fonts().small);
    p.widgets.wrapped(palette::kMuted, table.heading);
    // As wide as its own numbers: proportional widths would keep those of the previous table.
    constexpr auto kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
    if (ImGui::BeginTable("recorded", static_cast<int>(table.columns.size()) + 1, kFlags)) {
        ImGui::TableNextColumn();
        drawCells(table.columns);
        for (const auto& row : table.rows) drawCells(row);
        ImGui::EndTable();
    }
    ImGui::Dummy(ImVec2(0, 4 * p.widgets.scale()));
}

void drawPicture(PanelContext& p, const std::string& name) {
    const Beside small(p, p.widgets.fonts().small);
    ImDrawList& ink = *ImGui::GetWindowDrawList();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = drawDiagram(ink, diagram(name), ImGui::GetCursorScreenPos(), width, palette::light);
    ImGui::Dummy(ImVec2(width, height + 0.5f * ImGui::GetFontSize()));
}

void drawKernel(PanelContext& p, const std::string& name) {
    const std::size_t blank = std::min(name.find(' '), name.size() - 1);
    const KernelSource& source = kernelSource(kernel(name.substr(0, blank), name.substr(blank + 1)));
    if (source.file.empty()) return;
    const Beside mono(p, p.widgets.fonts().mono);
    if (!p.widgets.fold(kKernel, false)) return;
    ImGui::BeginChild("kernel", ImVec2(0, 200 * p.widgets.scale()), true, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::SetWindowFontScale(smallLetters(p));
    for (const SourceLine& line : source.lines) colouredText(line.differs ? palette::kText : palette::kMuted, line.text);
    ImGui::EndChild();
}

/// The watched parameters, live.
void drawWatched(PanelContext& p, const LessonStep& step) {
    for (const std::string& path : step.watch) {
        const Parameter& row = parameter(path);
        colouredText(palette::kMuted, row.label);
        ImGui::SameLine(0.5f * ImGui::GetContentRegionAvail().x);
        const std::string text = shownValue(row.get(p.document)) + " " + std::string(row.unit);
        ImGui::TextUnformatted(text.c_str());
    }
}

/// The task, with what it needs while it is open.
void drawTask(PanelContext& p, const LessonStep& step) {
    const LessonState& lesson = p.document.lesson;
    const bool acts = lesson.phase == LessonPhase::act;
    if (!step.task.empty()) {
        section(p, "Do");
        const bool done = lesson.phase > LessonPhase::act;
        p.widgets.wrapped(done ? palette::kMuted : palette::kAccent, plainText(p, step.task));
    }
    if (acts && !step.control.empty()) {
        const Beside normal(p, p.widgets.fonts().normal);
        drawControlAlone(p, step.control);
    }
    if (lesson.phase <= LessonPhase::after) drawWatched(p, step);
    if (acts && !step.show.empty()) action(p, "lesson-show", 0);
    if (acts && lesson.late)
        p.widgets.wrapped(palette::kMuted,
                          "This takes longer than expected: is the run paused, or is a step of the task missing?");
    if (!lesson.problem.empty()) p.widgets.wrapped(palette::kWarning, lesson.problem);
}

/// The open question of a step, or null.
const LessonQuestion* openQuestion(const LessonStep& step, const LessonState& lesson) {
    if (lesson.phase == LessonPhase::predict && step.predict) return &*step.predict;
    return lesson.phase == LessonPhase::question && step.question ? &*step.question : nullptr;
}

void drawStep(PanelContext& p, const LessonStep& step) {
    const LessonState& lesson = p.document.lesson;
    const LessonPhase phase = lesson.phase;
    auto& kept = p.widgets.kept<ShownStep>();
    if (kept.step != &step) {
        kept = {.step = &step, .fit = kept.fit};
        ImGui::SetScrollY(0);
    }
    const Reason missing = missingFor(step, p.document.intent.request.backendOptions);
    drawText(p, step.text, palette::kText);
    if (!step.picture.empty() && !step.drawsLarge()) drawPicture(p, step.picture);
    if (!step.kernel.empty()) drawKernel(p, step.kernel);
    if (!missing.empty()) {
        p.widgets.wrapped(palette::kWarning, "Not on this machine: " + missing + ".");
        return;
    }
    if (phase < LessonPhase::begin) return;
    if (step.predict) {
        section(p, "First: what do you expect?");
        drawQuestion(p, *step.predict, lesson.guess, phase >= LessonPhase::question);
    }
    if (step.recorded) drawRecorded(p, *step.recorded);  // before, it would reveal the answer of the prediction
    if (phase < LessonPhase::question) return;           // until then the task is below the text
    drawTask(p, step);
    if (!step.explain.empty()) {
        section(p, "What happened");
        if (!std::exchange(kept.explained, true)) ImGui::SetScrollHereY(0);  // what is new comes into sight
        drawText(p, step.explain, palette::kText);
    }
    if (step.question && phase > LessonPhase::question) {
        section(p, "Question");
        if (!std::exchange(kept.judged, true)) ImGui::SetScrollHereY(0);
        drawQuestion(p, *step.question, lesson.answered, true);
    }
}

void drawLessonList(PanelContext& p) {
    const LessonState& lesson = p.document.lesson;
    const float s = p.widgets.scale();
    for (std::size_t i = 0; i < lesson.offered.size(); ++i) {
        const LessonOffer& offer = lesson.offered[i];
        const int reached = reachedOf(lesson.progress, offer.name);
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeightWithSpacing();
        const std::string idea = linesWithin(offer.idea, width - 12 * s);
        const float ideaHeight = ImGui::CalcTextSize(idea.c_str()).y;
        if (ImGui::Button("##lesson", ImVec2(width, line + ideaHeight + 8 * s))) invoke(p, "lesson", {offer.name});
        p.widgets.finishQuietly(kRow);
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const ImU32 title = reached >= offer.steps ? palette::kGood : palette::kText;
        list.AddText(ImVec2(at.x + 6 * s, at.y + 4 * s), title, offer.title.c_str());
        const std::string right =
            reached == 0 ? std::to_string(offer.minutes) + " min"
                         : std::to_string(std::min(reached, offer.steps)) + " of " + std::to_string(offer.steps);
        const float wide = ImGui::CalcTextSize(right.c_str()).x;
        list.AddText(ImVec2(at.x + width - wide - 6 * s, at.y + 4 * s), palette::kMuted, right.c_str());
        list.AddText(ImVec2(at.x + 6 * s, at.y + 4 * s + line), palette::kMuted, idea.c_str());
        ImGui::PopID();
    }
}

void drawButtons(PanelContext& p) {
    const LessonState& lesson = p.document.lesson;
    const float gap = ImGui::GetStyle().ItemSpacing.x, small = 0.2f * ImGui::GetContentRegionAvail().x;
    const bool last = lesson.step + 1 == lesson.lesson->steps.size(), done = lesson.phase == LessonPhase::done;
    action(p, "lesson-back", small, "Back");
    ImGui::SameLine();
    action(p, "lesson-step", small, "Again");
    ImGui::SameLine(0, 3 * gap);
    // The primary button, once the step is done.
    const Action& next = actionOf(last && done ? "lessons" : "lesson-next");
    const char* const label = last && done ? "Lessons" : done ? "Next" : "Skip";
    if (p.widgets.litButton(controlOf(next, label), ImGui::GetContentRegionAvail().x, done, nullptr,
                            next.unavailable ? next.unavailable(p.document) : Reason()))
        p.post({invokeOf(next)});
}

/// A bar with a part for each step; those that are behind are filled.
void drawSteps(PanelContext& p) {
    const LessonState& lesson = p.document.lesson;
    const float s = p.widgets.scale(), width = ImGui::GetContentRegionAvail().x, gap = 3 * s, high = 5 * s;
    const auto count = static_cast<float>(lesson.lesson->steps.size());
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, high + 2 * s));
    for (std::size_t i = 0; i < lesson.lesson->steps.size(); ++i) {
        const float part = (width + gap) / count, left = from.x + static_cast<float>(i) * part;
        const ImU32 colour = i < lesson.step ? palette::kAccent : i == lesson.step ? palette::kText : palette::kFaint;
        ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(left, from.y), ImVec2(left + part - gap, from.y + high), colour,
                                                  2 * s);
    }
}

}  // namespace

void lightControl(PanelContext& p) {
    const LessonStep* step = p.document.lesson.now();
    if (!step || p.document.lesson.phase != LessonPhase::act || step->control.empty()) return p.widgets.light({}, {});
    std::string menu;
    for (const Menu& one : menus())
        for (const Action& action : one.rows)
            if (action.name == step->control) menu = "menu/" + std::string(one.name);
    p.widgets.light(step->control, menu);
}

void drawLessonPanel(PanelContext& p) {
    const LessonState& lesson = p.document.lesson;
    const float s = p.widgets.scale(), width = (p.plan.tabs ? p.plan.left : p.plan.right) - kMargin * s;
    const float height = p.surface.y - p.top - (kBottomHeight + 2 * kMargin) * s;
    const float edge = p.plan.tabs ? kMargin * s + width : p.surface.x - kMargin * s;
    ImGui::SetNextWindowPos(ImVec2(edge, p.top + kMargin * s), ImGuiCond_Always, ImVec2(1, 0));
    ImGui::SetNextWindowSize(ImVec2(width, std::max(height, 120 * s)));
    if (const PanelWindow window(p, "lesson", kPanelWindow | ImGuiWindowFlags_NoScrollbar, 1); window) {
        drawTabs(p);
        const bool listed = lesson.listed || !lesson.lesson;
        auto& kept = p.widgets.kept<ShownStep>();
        kept.fit = 1;
        std::string head = "Lessons";
        if (!listed)
            head = lesson.lesson->title + "  " + std::to_string(lesson.step + 1) + "/" +
                   std::to_string(lesson.lesson->steps.size());
        const float button = ImGui::CalcTextSize("Present").x + 4 * ImGui::GetStyle().FramePadding.x;
        const float row = ImGui::GetContentRegionMax().x - 2 * button - ImGui::GetStyle().ItemSpacing.x;
        colouredText(palette::kMuted, linesWithin(head, row - 4 * s - ImGui::GetCursorPosX()));
        ImGui::SameLine(row);
        action(p, "lesson-large", button, lesson.large ? "Smaller" : "Present");
        ImGui::SameLine();
        action(p, "lesson-close", button, "Close");
        if (!listed) {
            drawSteps(p);
            constexpr float kTitle = 0.66f;
            const Letters title(p.widgets.fonts().large);
            ImGui::SetWindowFontScale(lesson.large ? letters(p) : kTitle);
            p.widgets.wrapped(palette::kText, lesson.now()->title);
            ImGui::SetWindowFontScale(1);
        }
        const float gap = ImGui::GetStyle().ItemSpacing.y, letter = p.widgets.fonts().heading->FontSize;
        const float buttons = listed ? 0 : letter + 2 * ImGui::GetStyle().FramePadding.y + 2 * gap;
        const float bottom = ImGui::GetContentRegionMax().y - buttons, room = bottom - ImGui::GetCursorPosY();
        const LessonQuestion* const question = listed ? nullptr : openQuestion(*lesson.now(), lesson);
        const bool acts = !listed && lesson.phase >= LessonPhase::begin && lesson.phase <= LessonPhase::after &&
                          missingFor(*lesson.now(), p.document.intent.request.backendOptions).empty();
        {
            const Letters type(lesson.large ? p.widgets.fonts().large : p.widgets.fonts().heading);
            constexpr float kLines = 3, kFinest = 0.05f;
            const float smallest = lesson.large ? 0.5f : 0.7f;
            const auto least = [] { return kLines * ImGui::GetFontSize(); };  // of the text
            for (;; kept.fit -= kFinest) {
                ImGui::SetWindowFontScale(letters(p));
                if (!question || kept.fit <= smallest || least() + heightOf(p, *question) <= room) break;
            }
            const float foot = std::min(question ? heightOf(p, *question) : kept.foot, room - least());
            const float most = std::max(least(), room - foot), whole = most - std::fmod(most, ImGui::GetFontSize());
            const float text = question || acts ? (kept.text <= most ? std::max(kept.text, least()) : whole) : room;
            ImGui::SetWindowFontScale(1);  // children multiply it by their own
            ImGui::BeginChild("text", ImVec2(0, text));
            ImGui::SetWindowFontScale(letters(p));
            if (listed)
                drawLessonList(p);
            else
                drawStep(p, *lesson.now());
            kept.text = ImGui::GetCursorPosY();
            ImGui::EndChild();
            if (p.widgets.recording) p.widgets.record("lesson_text", true);
            if (question || acts) {
                ImGui::BeginChild("foot", ImVec2(0, bottom - ImGui::GetCursorPosY()));
                ImGui::SetWindowFontScale(letters(p));
                if (question) {
                    section(p, lesson.phase == LessonPhase::predict ? "First: what do you expect?" : "Question");
                    drawQuestion(p, *question, {}, true);
                } else {
                    drawTask(p, *lesson.now());
                }
                kept.foot = ImGui::GetCursorPosY();
                ImGui::EndChild();
            }
        }
        const Letters type(p.widgets.fonts().heading);
        ImGui::SetCursorPosY(bottom + gap);
        if (!listed) drawButtons(p);
    }
}

}  // namespace gravlab
