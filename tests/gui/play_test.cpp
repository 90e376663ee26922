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

using json = nlohmann::ordered_json;

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
    Start start{.folder = folder.path(), .display = true};
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
class OwnPace : public testing::Test {
protected:
    std::vector<json> play(const std::string& script, std::vector<std::string> options) {
        std::ofstream(folder / "script") << script;
        std::vector<std::string> all{"play", "script", scene, "--backend", "cpu", "--window", "--size", "640x360"};
        all.insert(all.end(), options.begin(), options.end());
        Start start{.folder = folder.path(), .display = true, .environment = {"XDG_CONFIG_HOME=" + folder.path().string()}};
        const Outcome outcome = runGravlab(all, start);
        EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
        return answersOf(outcome);
    }
    ScratchFolder folder;
    std::string scene = "figure-eight";
};

TEST_F(OwnPace, goesAtThePaceOfTheSceneUnlessTold) {
    scene = "plummer";
    const std::string script = "get run.speed\nget run.exact_forces\nwait run.step >= 1 within 100\n";
    std::vector<json> answers = play(script, {});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_GT(answers[0]["value"].get<double>(), 0) << "0 goes by steps a frame";
    EXPECT_EQ(answers[1]["value"], false) << "the number of bodies is that of a window, which allows a tree";
    answers = play(script, {"--speed", "0.25"});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers[0]["value"], 0.25);
}

TEST_F(OwnPace, beginsAsTheWindowDoesAndRemembersNothing) {
    fs::create_directory(folder / "gravlab");
    const std::string text = "[look]\nglow = 0.125\n";
    std::ofstream(folder / "gravlab/config.toml") << text;
    const std::string script = "get look.glow\nset look.glow 0.5\nwait seconds 0.5\n";
    std::vector<json> answers = play(script, {});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers[0]["value"], 0.125);
    EXPECT_EQ(contentOf(folder / "gravlab/config.toml"), text) << "what a script sets is of that time alone";
    answers = play(script, {"--no-config"});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_NE(answers[0]["value"], 0.125);
    fs::remove_all(folder / "gravlab");
    play(script, {});
    EXPECT_FALSE(fs::exists(folder / "gravlab")) << "nor is there a first time";
}

TEST_F(OwnPace, leavesItsLastFrame) {
    play("set look.glow 0\nwait run.step >= 1 within 100\n", {"--screenshot", "last.png"});
    const std::string picture = contentOf(folder / "last.png");
    ASSERT_GT(picture.size(), 24u);
    EXPECT_EQ(picture.substr(1, 3), "PNG");
    EXPECT_EQ(picture.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\x68", 8)) << "640x360";
}

TEST_F(OwnPace, isForWindowsAlone) {
    std::ofstream(folder / "script") << "get run.step\n";
    Start start{.folder = folder.path()};
    for (const std::vector<std::string>& option :
         {std::vector<std::string>{"--speed", "2"}, {"--time-budget", "5"}, {"--no-config"}, {"--screenshot", "a.png"}}) {
        std::vector<std::string> all{"play", "script", "two-body"};
        all.insert(all.end(), option.begin(), option.end());
        const Outcome outcome = runGravlab(all, start);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(option.front() + " needs --window"), std::string::npos) << outcome.err;
    }
}

class WindowScript : public testing::Test {
protected:
    std::vector<json> play(const std::string& script, int code) {
        std::ofstream(folder / "script") << script;
        Start start{.folder = folder.path(), .display = true};
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
    // A disk without room.
    for (const char* name : {"full.png", "full.toml"}) fs::create_symlink("/dev/full", folder / name);
    const std::vector<json> answers = play(
        "do save none/a.csv\n"
        "do picture none/a.png\n"
        "do save-scene none/a.toml\n"
        "do picture full.png\n"
        "do save-scene full.toml\n"
        "get run.bodies\n",
        7);
    ASSERT_EQ(answers.size(), 6u) << said;
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(answers[i]["status"], "failed") << answers[i];
        EXPECT_NE(answers[i]["why"].get<std::string>().find(i < 3 ? "none" : "full."), std::string::npos) << answers[i];
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

TEST_F(WindowScript, undoReturnsFromOpenedFilesOneByOne) {
    std::ofstream(folder / "s.csv") << "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n";
    const std::vector<json> answers =
        play("set look.glow 0.5\nopen s.csv\nopen s.csv\ndo undo\ndo undo\nexpect run.bodies > 1\ndo undo\n", 0);
    ASSERT_EQ(answers.size(), 7u) << said;
    for (const json& answer : answers) EXPECT_EQ(answer["status"], "applied") << answer;
}

/// Each line that ends a film without frames has an answer, and the script ends.
TEST_F(WindowScript, aFilmEndsOnce) {
    const std::vector<json> answers = play(
        "set film.encoder png\n"
        "set film.width 64\n"
        "set film.height 48\n"
        "nowait do record on\n"
        "nowait do record off\n"
        "nowait do record off\n"
        "expect film.recording == true\n",
        2);
    std::map<int, std::string> last;
    for (const json& answer : answers) last[answer["line"]] = answer["status"];
    const std::map<int, std::string> expected{{1, "applied"}, {2, "applied"}, {3, "applied"}, {4, "applied"},
                                              {5, "applied"}, {6, "refused"}, {7, "applied"}};
    EXPECT_EQ(last, expected) << said;
}

TEST_F(WindowScript, theLabAnswersWhenItHasMeasured) {
    const std::vector<json> answers = play(
        "set lab.open true\n"
        "do lab-memory\n"
        "expect lab.busy == false\n"
        "do lab-memory\n"
        "expect lab.busy == false\n",
        0);
    EXPECT_EQ(answers.size(), 5u) << said;
}

TEST_F(WindowScript, aKernelsFileHasTheNameWithinQuotes) {
    std::ofstream(folder / "bad text.cu") << "no kernel\n";
    const std::vector<json> answers = play(
        "do own-open \"bad text.cu\"\n"
        "do own-save \"a b.cu\"\n"
        "do own-try\n",
        7);
    ASSERT_EQ(answers.size(), 3u) << said;
    EXPECT_EQ(sizeOf("a b.cu"), 10u);
    EXPECT_EQ(answers[2]["status"], "failed") << "a text that is no kernel: " << answers[2];
    EXPECT_NE(answers[2]["why"], "") << answers[2];
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
