// A script that drives a real window: in real time, with files that open beside the frames.
#include "../unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace gravlab
