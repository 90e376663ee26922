// Scripts: the meaning of a line, the mistakes of a script, and when a condition holds.
#include "app/control/script.h"
#include "app/control/action.h"
#include "app/control/line_reader.h"
#include "app/session/player.h"
#include "cli_support.h"
#include "sim/api/errors.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace gravlab {
namespace {

using testing::HasSubstr;

std::string mistakeIn(std::string_view line) {
    try {
        parseScriptLine(line);
        return {};
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(ScriptLines, areUnderstood) {
    for (const char* blank : {"", "   ", "# a remark", "  # another", "\t"}) EXPECT_FALSE(parseScriptLine(blank)) << blank;
    const auto set = parseScriptLine("  set run.time_step -0.01   # backwards");
    ASSERT_TRUE(set);
    EXPECT_EQ(set->verb, Verb::set);
    EXPECT_EQ(set->name, "run.time_step");
    EXPECT_EQ(set->value, Value(-0.01));
    EXPECT_EQ(parseScriptLine("set camera.target [1, 2, 3]")->value, Value(std::vector<double>{1, 2, 3}));
    EXPECT_EQ(parseScriptLine("set run.bodies 64k")->value, Value(std::int64_t{65536}));
    EXPECT_EQ(parseScriptLine("get run.step")->verb, Verb::get);
    const auto act = parseScriptLine("do step 100");
    ASSERT_TRUE(act);
    EXPECT_EQ(act->name, "step");
    EXPECT_EQ(act->arguments, std::vector<Value>{std::int64_t{100}});
    EXPECT_EQ(parseScriptLine("open \"two words.toml\"")->name, "two words.toml");
    EXPECT_EQ(parseScriptLine("open two words.toml")->name, "two words.toml");
    EXPECT_EQ(parseScriptLine("open a#b.toml")->name, "a#b.toml");
    const auto wait = parseScriptLine("wait run.step >= 200 within 1.5");
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->verb, Verb::waitFor);
    EXPECT_EQ(wait->condition.op, ">=");
    EXPECT_EQ(wait->seconds, 1.5);
    EXPECT_EQ(parseScriptLine("wait run.step >= 200")->seconds, kUsualWait);
    EXPECT_EQ(parseScriptLine("wait seconds 0.5")->verb, Verb::waitSeconds);
    EXPECT_EQ(parseScriptLine("expect run.kernel == tiled")->condition.value, Value(std::string("tiled")));
}

TEST(ScriptLines, sayWhatIsWrongWithThem) {
    const std::pair<const char*, const char*> wrong[] = {
        {"sat run.seed 1", "did you mean 'set'"},
        {"set", "needs PATH VALUE"},
        {"set run.seed", "needs a value"},
        {"set run.timestep 1", "did you mean 'run.time_step'"},
        {"set run.step 4", "measured, not set"},
        {"set look.glow 1.5", "at least 0 and at most 1"},
        {"set look.glow", "needs a value"},
        {"get", "needs a PATH"},
        {"get run.stepp", "did you mean 'run.step'"},
        {"get run.step now", "too much"},
        {"do", "needs an ACTION"},
        {"do stepp", "did you mean 'step'"},
        {"open", "needs a SCENE or FILE"},
        {"wait run.step 5", "operator"},
        {"wait run.step = 5", "did you mean '=='"},
        {"wait run.step >=", "needs PATH OP VALUE"},
        {"wait run.step >= 5 for 3", "within SECONDS"},
        {"wait run.step >= 5 within", "number of seconds"},
        {"wait run.step >= 5 within -1", "seconds from 0"},
        {"wait run.step >= 5 within 3 s", "too much"},
        {"wait seconds many", "seconds from 0"},
        {"expect run.kernel < tiled", "compares numbers"},
        {"expect run.integrator == leapfrg", "did you mean 'leapfrog'"},
        {"expect run.step == 5 within 3", "too much"},
        {"do picture \"half", "does not end"},
        {"set camera.target [1, 2", "expected"},
    };
    for (const auto& [line, sentence] : wrong) EXPECT_THAT(mistakeIn(line), HasSubstr(sentence)) << line;
    EXPECT_THAT(mistakeIn(std::string("get run.step\0", 13)), HasSubstr("NUL"));
    EXPECT_THAT(mistakeIn("get " + std::string(5000, 'x')), HasSubstr("4096 bytes"));
    for (std::size_t n = 0; n < 40; ++n)
        mistakeIn(std::string_view("wait run.step >= \"5\" within [1, 2] # x\"\\").substr(0, n));
}

TEST(ScriptConditions, holdOrNot) {
    const auto is = [](const char* op, const Value& wanted, const Value& value) { return holds({"x", op, wanted}, value); };
    EXPECT_TRUE(is("==", std::int64_t{3}, 3.0));
    EXPECT_TRUE(is(">=", 2.5, std::int64_t{3}));
    EXPECT_FALSE(is("<", 2.5, std::int64_t{3}));
    EXPECT_TRUE(is("!=", std::int64_t{4}, std::int64_t{3}));
    EXPECT_TRUE(is("==", std::string("tiled"), std::string("tiled")));
    EXPECT_FALSE(is("==", std::string("tiled"), std::string("naive")));
    EXPECT_TRUE(is("==", true, true));
    EXPECT_FALSE(is("==", true, false));
    EXPECT_TRUE(is("==", Value(), Value())) << "nothing is nothing";
    for (const char* op : {"==", "<", "<=", ">", ">="})
        EXPECT_FALSE(is(op, 1.0, Value())) << "what is not known yet holds nothing: " << op;
    for (const char* op : {"==", "<", "<=", ">", ">="}) EXPECT_FALSE(is(op, 1.0, std::nan(""))) << op;
    EXPECT_TRUE(is("==", std::int64_t{12}, std::string("12"))) << "a name that looks like a number";
}

TEST(ScriptLinesOfAFile, areWholeOrRefused) {
    const ScratchFolder folder;
    const auto linesIn = [&](const std::string& text) {
        const fs::path file = folder / "script";
        std::ofstream(file, std::ios::binary) << text;
        ScriptLineReader reader(file.string());
        std::vector<ScriptLineReader::Line> lines;
        for (ScriptLineReader::Line line; reader.next(line, 1) == ScriptLineReader::Next::line;) lines.push_back(line);
        return lines;
    };
    const auto plain = linesIn("\xEF\xBB\xBFget run.step\r\n\nget run.time\n");
    ASSERT_EQ(plain.size(), 3u);
    EXPECT_EQ(plain[0].text, "get run.step");
    EXPECT_EQ(plain[2].text, "get run.time");
    EXPECT_EQ(plain[2].number, 3u);
    const auto cut = linesIn("get run.step\nset run.bodies 1000");
    ASSERT_EQ(cut.size(), 2u);
    EXPECT_EQ(cut[0].problem, "");
    EXPECT_THAT(cut[1].problem, HasSubstr("does not end"));
    const auto longLine = linesIn("get run.step\n" + std::string(1 << 20, 'x') + "\nget run.time\n");
    ASSERT_EQ(longLine.size(), 3u);
    EXPECT_THAT(longLine[1].problem, HasSubstr("4096 bytes"));
    EXPECT_LT(longLine[1].text.size(), 10000u) << "what is dropped is not kept";
    EXPECT_EQ(longLine[2].text, "get run.time");
    EXPECT_EQ(longLine[2].problem, "");
    EXPECT_TRUE(linesIn("").empty());
    EXPECT_THROW(ScriptLineReader((folder / "none").string()), InputError);
}

TEST(ActionArguments, areNamed) {
    EXPECT_EQ(argumentText(actionOf("step")), "COUNT");
    EXPECT_EQ(argumentText(actionOf("trails")), "on or off");
    EXPECT_EQ(argumentText(actionOf("colour-by")), "CHOICE");
    EXPECT_EQ(argumentText(actionOf("drop-star")), "");
    EXPECT_THROW(actionOf("stepp"), UsageError);
}

TEST(ParameterDocs, areMadeFromTheTable) {
    const Outcome listed = runGravlab({"list", "parameters", "--markdown"});
    ASSERT_EQ(listed.code, 0) << listed.err;
    const std::string page = contentOf(GRAVLAB_SOURCE_DIR "/docs/parameters.md");
    EXPECT_NE(page.find("\n\n" + listed.out), std::string::npos) << "docs/parameters.md is old; put this at its end:\n"
                                                                 << listed.out;
    const Outcome json = runGravlab({"list", "parameters", "--json"});
    ASSERT_EQ(json.code, 0);
    for (const char* key :
         {"\"path\": \"look.glow\"", "\"range\": \"a finite number of at least 0 and at most 1\"", "\"default\": \"0.3\"",
          "\"refusal\": \"look.glow '...': expected a finite number of at least 0 and at most 1\""})
        EXPECT_THAT(json.out, HasSubstr(key));
    const Outcome actions = runGravlab({"list", "actions"});
    EXPECT_EQ(actions.code, 0);
    EXPECT_THAT(actions.out, HasSubstr("drop-star"));
}

// The messages of a script while it waits.

TEST(WaitNotice, isSaidOnceForEachLineThatTakesLong) {
    WaitNotice notice;
    const std::string wait = "wait run.step >= 1000000";
    EXPECT_EQ(notice.update(0, "", 0), "");
    EXPECT_EQ(notice.update(3, wait, 100), "");
    EXPECT_EQ(notice.update(3, wait, 109), "");
    EXPECT_EQ(notice.update(3, wait, 111), "line 3 still waits: wait run.step >= 1000000");
    EXPECT_EQ(notice.update(3, wait, 200), "") << "once is enough";
    EXPECT_EQ(notice.update(4, wait, 201), "") << "each line has ten seconds of its own";
    EXPECT_NE(notice.update(4, wait, 212), "");
    EXPECT_EQ(notice.update(0, "", 213), "");
    EXPECT_EQ(notice.update(4, wait, 240), "") << "of another wait";
}

}  // namespace
}  // namespace gravlab
