// A script that drives a real window: in real time, with files that open beside the frames.
#include "../unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace gravlab {
namespace {

using nlohmann::json;

std::vector<json> answersOf(const Outcome& outcome) {
    std::vector<json> answers;
    for (const std::string& line : linesOf(outcome.out)) answers.push_back(json::parse(line));
    return answers;
}

TEST(PlayWindow, isDrivenByAScript) {
    const ScratchFolder folder;
    std::ofstream(folder / "script") << "set look.glow 0.5\n"
                                        "wait run.step >= 3 within 60\n"
                                        "wait window.frames_per_second > 0 within 60\n"
                                        "do picture shot.png\n"
                                        "do save-scene mine.toml\n"
                                        "wait seconds 1\n"
                                        "open two-body\n"
                                        "expect run.scene == two-body\n"
                                        "open mine.toml\n"
                                        "expect run.scene == figure-eight\n"
                                        "open none.toml\n";
    Start start;
    start.folder = folder.path();
    start.display = true;
    const Outcome outcome =
        runGravlab({"play", "script", "figure-eight", "--backend", "cpu", "--window", "--size", "640x360"}, start);
    const std::vector<json> answers = answersOf(outcome);
    ASSERT_EQ(answers.size(), 11u) << outcome.out << outcome.err;
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(answers[i]["status"], "applied") << answers[i];
    EXPECT_EQ(answers[10]["status"], "refused") << "and the window goes on until then";
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(fs::exists(folder / "shot.png"));
    EXPECT_TRUE(fs::exists(folder / "mine.toml"));
}

/// A script of a window in its own folder.
class WindowScript : public testing::Test {
protected:
    std::vector<json> play(const std::string& script, int code) {
        std::ofstream(folder / "script") << script;
        Start start;
        start.folder = folder.path();
        start.display = true;
        const Outcome outcome =
            runGravlab({"play", "script", "figure-eight", "--backend", "cpu", "--window", "--size", "640x360"}, start);
        EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
        said = outcome.out + outcome.err;
        return answersOf(outcome);
    }
    std::uintmax_t sizeOf(const char* file) {
        std::error_code none;
        return fs::exists(folder / file) ? fs::file_size(folder / file, none) : 0;
    }
    ScratchFolder folder;
    std::string said;
};

TEST_F(WindowScript, twoLinesAreTwoFiles) {
    const std::vector<json> answers = play(
        "do picture a.png\n"
        "do picture b.png\n"
        "nowait do picture c.png\n"
        "nowait do picture d.png\n"
        "do save-scene a.toml\n"
        "do save-scene b.toml\n"
        "do save a.csv\n"
        "do save b.csv\n",
        0);
    EXPECT_EQ(answers.size(), 10u) << "two lines say that they are running: " << said;
    for (const char* file : {"a.png", "b.png", "c.png", "d.png", "a.toml", "b.toml", "a.csv", "b.csv"})
        EXPECT_GT(sizeOf(file), 0u) << file;
}

TEST_F(WindowScript, aFileThatCannotBeWrittenHasFailed) {
    const std::vector<json> answers = play(
        "do save none/a.csv\n"
        "do picture none/a.png\n"
        "do save-scene none/a.toml\n"
        "get run.bodies\n",
        7);
    ASSERT_EQ(answers.size(), 4u) << said;
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(answers[i]["status"], "failed") << answers[i];
        EXPECT_NE(answers[i]["why"].get<std::string>().find("none"), std::string::npos) << answers[i];
    }
}

TEST_F(WindowScript, opensWhatItHasSaved) {
    std::ofstream(folder / "s.csv") << "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n";
    const std::vector<json> answers = play(
        "do drop-star\n"
        "nowait do save t.csv\n"
        "open t.csv\n"
        "expect run.bodies == 4\n"
        "nowait open s.csv\n"
        "nowait open figure-eight\n"
        "nowait open none.csv\n"
        "open t.csv\n"
        "expect run.bodies == 4\n",
        2);
    ASSERT_EQ(answers.size(), 9u + 3) << "three lines had more to say later: " << said;
    std::map<int, std::string> last;
    for (const json& answer : answers) last[answer["line"]] = answer["status"];
    for (const auto& [line, status] : last) EXPECT_EQ(status, line == 7 ? "refused" : "applied") << line << "\n" << said;
}

TEST_F(WindowScript, aFilmIsThereWhenItsLineIsAnswered) {
    std::vector<json> answers = play(
        "set film.encoder png\n"
        "set film.width 64\n"
        "set film.height 48\n"
        "do record on\n"
        "expect film.recording == true\n"
        "do record off\n"
        "expect film.recording == false\n"
        "nowait do record on\n"
        "do record off\n"
        "expect film.recording == false\n"
        "do record on\n"
        "do cancel-film\n"
        "expect film.recording == false\n"
        "do cancel-film\n",
        2);
    for (const json& answer : answers) EXPECT_EQ(answer["status"] == "refused", answer["line"] == 14) << answer;
    std::set<std::string> films;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        if (entry.path().extension() == ".png") films.insert(entry.path().parent_path().string());
    EXPECT_EQ(films.size(), 2u) << said;
}

}  // namespace
}  // namespace gravlab
