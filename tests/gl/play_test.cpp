// `gravlab play` as a process: a reply to each line, each status, each exit code, the same replies each time.
#include "../unit/cli_support.h"
#include "app/system/picture.h"
#include "sim/io/snapshot.h"
#include "tests/paths.h"
#include "tests/wrong_forces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

namespace gravlab {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Played {
    int code = -1;
    std::vector<json> answers;
    std::string out, err;
};

class PlayTest : public testing::Test {
protected:
    Played play(const std::string& script, std::vector<std::string> more = {"figure-eight", "--backend", "cpu"},
                bool standardInput = false) {
        const fs::path file = folder / "script";
        std::ofstream(file, std::ios::binary) << script;
        std::vector<std::string> arguments{"play", standardInput ? "-" : file.string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Start start{.folder = folder.path()};
        if (standardInput) start.input = file;
        const Outcome outcome = runGravlab(arguments, start);
        Played played{outcome.code, {}, outcome.out, outcome.err};
        for (const std::string& line : linesOf(outcome.out)) played.answers.push_back(json::parse(line));
        return played;
    }
    ScratchFolder folder;
};

/// Every command that writes a picture stores the same settings in it.
TEST_F(PlayTest, picturesSayOfThemselvesWhatThoseOfRenderSay) {
    const Played played = play("do step 2\nwait run.step >= 2\ndo picture played.png\n");
    ASSERT_EQ(played.code, 0) << played.err;
    Start start{.folder = folder.path()};
    const Outcome rendered = runGravlab(
        {"render", "figure-eight", "--backend", "cpu", "--frames", "3", "--steps-per-frame", "1", "-o", "%d.png"}, start);
    ASSERT_EQ(rendered.code, 0) << rendered.err;
    std::map<std::string, std::string> ofPlay = readPngTexts((folder / "played.png").string()),
                                       ofRender = readPngTexts((folder / "2.png").string());
    EXPECT_EQ(ofPlay["gravlab:step"], "2");
    EXPECT_EQ(readPngTexts((folder / "1.png").string())["gravlab:step"], "1");
    for (const char* key :
         {"Software", "gravlab:scene", "gravlab:bodies", "gravlab:seed", "gravlab:backend", "gravlab:kernel",
          "gravlab:integrator", "gravlab:dt", "gravlab:softening", "gravlab:step", "gravlab:time"}) {
        EXPECT_NE(ofPlay[key], "") << key;
        EXPECT_EQ(ofPlay[key], ofRender[key]) << key;
    }
}

constexpr const char* kLesson =
    "# a lesson\n"
    "set run.time_step 0.001\n"
    "get run.time_step\n"
    "\n"
    "do step 100\n"
    "wait run.step >= 100 within 5\n"
    "expect run.step == 100\n"
    "get run.time\n"
    "set run.paused false\n"
    "wait run.step >= 160\n"
    "get run.step\n"
    "wait seconds 0.5\n"
    "get run.step\n"
    "wait run.check == passed within 2\n"
    "get run.rate\n"
    "do picture shot.png\n"
    "do save state.hdf5\n"
    "do save-scene scene.toml\n"
    "open two-body\n"
    "expect run.scene == two-body\n"
    "open scene.toml\n"
    "expect run.time_step == 0.001\n"
    "open state.hdf5\n"
    "expect run.bodies == 3\n";

TEST_F(PlayTest, answersEachLineAndTheSameEachTime) {
    const Played first = play(kLesson), second = play(kLesson, {"figure-eight", "--backend", "cpu"}, true);
    EXPECT_EQ(first.code, 0) << first.out << first.err;
    ASSERT_EQ(first.answers.size(), 22u) << first.out;
    for (const json& answer : first.answers) EXPECT_EQ(answer["status"], "applied") << answer;
    EXPECT_EQ(first.answers[0], (json{{"line", 2}, {"status", "applied"}, {"value", 0.001}}));
    EXPECT_EQ(first.answers[1]["value"], 0.001);
    EXPECT_EQ(first.answers[5]["value"], 0.1);
    EXPECT_EQ(first.answers[8]["value"], 160);
    EXPECT_EQ(first.answers[10]["value"], 190) << "half a second is 30 frames of a step each";
    EXPECT_EQ(first.answers[12]["value"], nullptr) << "no clock shows";
    EXPECT_EQ(first.out, second.out);
    EXPECT_TRUE(fs::exists(folder / "shot.png"));
    const Played third = play("get run.step\nwait seconds 0.1\nget run.step\n");
    EXPECT_NE(third.out, first.out) << "the comparison sees nothing";
}

TEST_F(PlayTest, picturesHaveTheSizeAndThePanelsThatWereAskedFor) {
    const Played played = play(
        "do picture plain.png\n"
        "set picture.width 300\n"
        "set picture.height 200\n"
        "do picture own.png\n"
        "set picture.panels true\n"
        "set picture.width 1000\n"
        "set picture.height 700\n"
        "do picture panels.png\n"
        "set picture.panels false\n"
        "do picture alone.png\n");
    ASSERT_EQ(played.code, 0) << played.out << played.err;
    const auto picture = [&](const char* name) { return readPng((folder / name).string()); };
    EXPECT_EQ(picture("own.png").width, 300);
    EXPECT_EQ(picture("own.png").height, 200);
    EXPECT_NE(picture("plain.png").width, 300);
    EXPECT_EQ(picture("panels.png").height, 700);
    EXPECT_NE(picture("panels.png").rgb, picture("alone.png").rgb);
    EXPECT_TRUE(picture("own.png").texts.contains("gravlab:scene"));
}

TEST_F(PlayTest, exitsWithWhatWentWrongFirst) {
    const std::tuple<const char*, int, const char*, const char*> rows[] = {
        {"get run.step\n", 0, "applied", ""},
        {"", 0, "", ""},
        {"set look.glow 7\n", 2, "refused", "at least 0 and at most 1"},
        {"set run.bodies 64\n", 2, "refused", "always has 3 bodies"},
        {"fly away\n", 2, "refused", "unknown command 'fly'"},
        {"do stepp\n", 2, "refused", "did you mean 'step'"},
        {"do remove\n", 2, "refused", "No body is selected"},
        {"open nothing.hdf5\n", 2, "refused", "nothing.hdf5"},
        {"get run.step", 2, "refused", "does not end"},
        {"expect run.step == 5\n", 7, "failed", "run.step is 0; expected == 5"},
        {"wait run.step >= 1000000 within 0.1\n", 7, "failed", "after 0.1 s; expected >= 1000000"},
        {"expect run.rate > 0\n", 2, "refused", "clock"},
        {"do record\n", 7, "failed", "recorded in a window"},
        {"do picture /no/such/folder/x.png\n", 7, "failed", "/no/such/folder"},
    };
    for (const auto& [script, code, status, why] : rows) {
        const Played played = play(script);
        EXPECT_EQ(played.code, code) << script << played.out << played.err;
        if (*status == 0) {
            EXPECT_TRUE(played.answers.empty());
            continue;
        }
        ASSERT_EQ(played.answers.size(), 1u) << script << played.out;
        EXPECT_EQ(played.answers[0]["status"], status) << script;
        if (*why) {
            EXPECT_THAT(played.answers[0]["why"].get<std::string>(), HasSubstr(why)) << script;
        }
    }
    const Played both = play("expect run.step == 5\nset look.glow 7\nget run.step\n");
    EXPECT_EQ(both.code, 7) << "the first line that was not applied decides";
    EXPECT_EQ(both.answers.size(), 3u) << "and the rest is answered all the same";
}

TEST_F(PlayTest, noticesAScriptThatIsSpoilt) {
    const std::string lesson = kLesson;
    ASSERT_EQ(play(lesson).code, 0);
    const std::pair<const char*, const char*> spoilt[] = {{"set run.time_step 0.001", "set run.time_step 0.002"},
                                                          {"do step 100", "do step 99"},
                                                          {"expect run.bodies == 3", "expect run.bodies == 4"},
                                                          {"open two-body", "open figure-eight"}};
    for (const auto& [from, to] : spoilt) {
        std::string text = lesson;
        text.replace(text.find(from), std::string(from).size(), to);
        text.replace(text.find("within 5"), 8, "within 1");
        text.replace(text.find("get run.time\n"), 13, "expect run.time == 0.1\n");
        EXPECT_NE(play(text).code, 0) << to;
    }
}

TEST_F(PlayTest, wrongForcesEndAScript) {
    if (!fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "this build has no HDF5";
    testing_support::writeWrongForces(folder / "wrong.hdf5");
    const Played played = play("set run.paused false\nwait run.step >= 3\ndo save after.hdf5\n", {"wrong.hdf5"});
    EXPECT_EQ(played.code, 7) << played.out << played.err;
    ASSERT_EQ(played.answers.size(), 2u) << played.out;
    EXPECT_EQ(played.answers[1]["status"], "failed");
    EXPECT_THAT(played.answers[1]["why"].get<std::string>(), HasSubstr("nothing of this run is to be trusted"));
    EXPECT_FALSE(fs::exists(folder / "after.hdf5"));
}

TEST_F(PlayTest, refusesWhatIsNoText) {
    const Played zero = play(std::string("get run.step\n\0\0get\nget run.step\n", 32));
    EXPECT_EQ(zero.code, 2);
    ASSERT_EQ(zero.answers.size(), 3u) << zero.out;
    EXPECT_THAT(zero.answers[1]["why"].get<std::string>(), HasSubstr("NUL"));
    const Played large = play("get run.step\nset run.simd " + std::string(100000, 'x') + "\nget run.step\n");
    EXPECT_EQ(large.code, 2);
    ASSERT_EQ(large.answers.size(), 3u);
    EXPECT_THAT(large.answers[1]["why"].get<std::string>(), HasSubstr("4096 bytes"));
    EXPECT_EQ(large.answers[2]["status"], "applied");
    EXPECT_EQ(play("open \xff\xfe\n").answers.size(), 1u) << "bytes that are no UTF-8 are no crash";
}

TEST_F(PlayTest, givesABodyAnotherVelocityAndReadsItsOrbit) {
    const Played played = play(
        "set run.paused true\n"
        "set view.selected 3\n"
        "wait seconds 0.1\n"
        "get view.orbit_semi_major_axis\n"
        "get view.orbit_centre\n"
        "get view.selected_speed\n"
        "do velocity [0, 0, 2]\n"
        "wait seconds 0.1\n"
        "get view.selected_speed\n"
        "get view.orbit_period\n"
        "get view.orbit_eccentricity\n"
        "get view.orbit_inclination\n"
        "do undo\n"
        "wait seconds 0.1\n"
        "get view.selected_speed\n"
        "do velocity [0, 0]\n"
        "do velocity fast\n",
        {"solar-system", "--backend", "cpu"});
    ASSERT_EQ(played.answers.size(), 17u) << played.out << played.err;
    const auto value = [&](std::size_t line) { return played.answers[line - 1]["value"].get<double>(); };
    EXPECT_NEAR(value(4), 1, 0.01) << "Earth, about";
    EXPECT_EQ(value(5), 0) << "the Sun";
    EXPECT_EQ(played.answers[6]["status"], "applied") << played.out;
    EXPECT_NEAR(value(9), 2, 1e-6);
    EXPECT_EQ(played.answers[9]["value"], nullptr) << "faster than the speed of escape: no period";
    EXPECT_GT(value(11), 1);
    EXPECT_NEAR(value(12), 1.5708, 0.01) << "upwards";
    EXPECT_EQ(played.answers[12]["status"], "applied");
    EXPECT_EQ(value(15), value(6)) << "to the last bit";
    EXPECT_EQ(played.answers[15]["status"], "refused");
    EXPECT_THAT(played.answers[16]["why"].get<std::string>(), HasSubstr("[VX, VY, VZ]"));
}

TEST_F(PlayTest, takesEveryEditOfBodiesBack) {
    const Played played = play(
        "do step 5\n"
        "wait run.step >= 5\n"
        "do drop-star\n"
        "do drop-star\n"
        "set view.selected 3\n"
        "do remove\n"
        "set look.glow 0.7\n"
        "set view.selected 4\n"
        "do hold\n"
        "expect run.bodies == 65\n"
        "do undo\n"
        "do undo\n"
        "do undo\n"
        "do undo\n"
        "expect run.bodies == 66\n"
        "do undo\n"
        "do undo\n"
        "do undo\n"
        "expect run.bodies == 64\n"
        "expect run.step == 5\n",
        {"plummer", "-n", "64", "--backend", "cpu"});
    EXPECT_EQ(played.code, 0) << played.out << played.err;
    ASSERT_EQ(played.answers.size(), 20u);
    EXPECT_EQ(played.answers[10]["value"], "do hold is undone") << "and nothing of a run that begins anew";
}

TEST_F(PlayTest, undoBringsTheRunBackThatAChangeEnded) {
    const Played played = play(
        "do step 7\n"
        "wait run.step >= 7\n"
        "do drop-star\n"
        "do more-bodies\n"
        "expect run.bodies == 128\n"
        "expect run.step == 0\n"
        "do undo\n"
        "expect run.bodies == 65\n"
        "expect run.step == 7\n"
        "do undo\n"
        "expect run.bodies == 64\n"
        "do next-seed\n"
        "expect run.step == 0\n"
        "do undo\n"
        "expect run.step == 7\n"
        "set run.scene disc\n"
        "do undo\n"
        "expect run.scene == plummer\n"
        "expect run.step == 7\n"
        "do save back.hdf5\n",
        {"plummer", "-n", "64", "--backend", "cpu"});
    EXPECT_EQ(played.code, 0) << played.out << played.err;
    const Played straight =
        play("do step 7\nwait run.step >= 7\ndo save straight.hdf5\n", {"plummer", "-n", "64", "--backend", "cpu"});
    EXPECT_EQ(straight.code, 0) << straight.out << straight.err;
    const auto print = [&](const char* file) { return readSnapshot(folder / file).bodies.position; };
    EXPECT_EQ(print("back.hdf5").size(), print("straight.hdf5").size());
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(print("back.hdf5")[i].x, print("straight.hdf5")[i].x) << i;
}

TEST_F(PlayTest, linesAfterTheEndAreAnswered) {
    const Played played = play("get run.step\ndo quit\n# a remark\n\nset look.glow 0.5\nfly\n");
    EXPECT_EQ(played.code, 2) << played.out << played.err;
    ASSERT_EQ(played.answers.size(), 4u) << played.out;
    EXPECT_EQ(played.answers[1]["status"], "applied");
    for (const std::size_t line : {2u, 3u}) {
        EXPECT_EQ(played.answers[line]["status"], "refused");
        EXPECT_THAT(played.answers[line]["why"].get<std::string>(), HasSubstr("ended the program"));
    }
    EXPECT_EQ(played.answers[3]["line"], 6);
    EXPECT_EQ(play("do quit\n").code, 0);
}

TEST_F(PlayTest, waitsOnlyWhereALineCanWait) {
    const Played played = play(
        "nowait do find-groups\n"
        "expect groups.least == 10\n"
        "nowait get run.step\n"
        "nowait\n"
        "nowait nowait do reset\n"
        "do lab-measure\n"
        "do lab-tune\n"
        "do own-begin tiled\n"
        "do own-try\n"
        "do lab-memory\n");
    ASSERT_EQ(played.answers.size(), 10u) << played.out << played.err;
    EXPECT_EQ(played.answers[0]["status"], "applied");
    for (const std::size_t line : {2u, 3u, 4u})
        EXPECT_THAT(played.answers[line]["why"].get<std::string>(), HasSubstr("stands before 'do' or 'open'"));
    for (const std::size_t line : {5u, 6u, 8u, 9u}) {
        EXPECT_EQ(played.answers[line]["status"], "failed") << played.answers[line];
        EXPECT_THAT(played.answers[line]["why"].get<std::string>(), HasSubstr("in a window"));
    }
}

TEST_F(PlayTest, saysWhatIsMissing) {
    EXPECT_EQ(runGravlab({"play"}).code, 2);
    const Outcome none = runGravlab({"play", "/no/such/script"});
    EXPECT_EQ(none.code, 3);
    EXPECT_THAT(none.err, HasSubstr("/no/such/script"));
}

/// Both ends of a program, as another language uses it.
class Talk {
public:
    Talk() {
        int in[2], out[2];
        if (::pipe(in) != 0 || ::pipe(out) != 0) return;
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            for (const int file : {in[0], in[1], out[0], out[1]}) ::close(file);
            ::execl(GRAVLAB_BINARY, GRAVLAB_BINARY, "play", "-", "figure-eight", "--backend", "cpu", nullptr);
            ::_exit(99);
        }
        ::close(in[0]);
        ::close(out[1]);
        to_ = in[1];
        from_ = ::fdopen(out[0], "r");
    }
    ~Talk() {
        if (from_) ::fclose(from_);
        if (to_ >= 0) ::close(to_);
    }
    /// Sends a line and reads the reply; the next line is sent only after it.
    json ask(const std::string& line) {
        send(line);
        char* text = nullptr;
        std::size_t size = 0;
        const ssize_t count = ::getline(&text, &size, from_);
        const std::string answer(text ? text : "", count > 0 ? static_cast<std::size_t>(count) : 0);
        std::free(text);
        return json::parse(answer, nullptr, false);
    }
    void send(const std::string& line) {
        const std::string whole = line + "\n";
        EXPECT_EQ(::write(to_, whole.data(), whole.size()), static_cast<ssize_t>(whole.size()));
    }
    void stopReading() {
        ::fclose(from_);
        from_ = nullptr;
    }
    int end() {
        ::close(std::exchange(to_, -1));
        int status = 0;
        ::waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

private:
    pid_t pid_ = -1;
    int to_ = -1;
    FILE* from_ = nullptr;
};

TEST(PlayTalk, answersBeforeTheNextLineIsSent) {
    Talk talk;
    EXPECT_EQ(talk.ask("get run.step")["value"], 0);
    EXPECT_EQ(talk.ask("wait run.step >= 7")["value"], 7);
    EXPECT_EQ(talk.ask("set look.glow 2")["status"], "refused");
    EXPECT_EQ(talk.ask("get run.step")["value"], 7) << "no frame passes while nobody waits";
    // The present value, with the wanted value when it differs.
    const json kernel = talk.ask("get run.kernel");
    EXPECT_NE(kernel["value"], "auto") << kernel;
    EXPECT_EQ(kernel["asked"], "auto") << kernel;
    EXPECT_EQ(talk.ask("get run.threads")["value"], "auto");
    EXPECT_EQ(talk.ask("get run.time_step")["asked"], "auto");
    talk.ask("set run.time_step 0.001");
    EXPECT_FALSE(talk.ask("get run.time_step").contains("asked"));
    EXPECT_EQ(talk.end(), 2);
}

TEST(PlayTalk, endsWithASentenceWhereNobodyReads) {
    Talk talk;
    EXPECT_EQ(talk.ask("get run.step")["value"], 0);
    talk.stopReading();
    talk.send("get run.step");
    EXPECT_EQ(talk.end(), 6);
}

/// All steps of a line are made within one frame.
TEST_F(PlayTest, aSignalEndsTheStepsOfALine) {
    const fs::path file = folder / "script";
    std::ofstream(file) << "set run.backend cpu\ndo step 10000000\nwait run.step >= 10000000 within 1000000\n";
    Start start{.folder = folder.path()};
    StartedProgram program({"play", file.string(), "plummer", "-n", "2000"}, start);
    for (int i = 0; i < 3000 && program.outputSoFar().find("\"line\":2") == std::string::npos; ++i) ::usleep(10000);
    ::usleep(200000);
    program.send(SIGTERM);
    const Outcome o = program.wait();
    EXPECT_EQ(o.code, 143) << o.err;
    EXPECT_THAT(o.err, HasSubstr("terminated"));
    EXPECT_THAT(o.out, testing::Not(HasSubstr("refused")));
}

}  // namespace
}  // namespace gravlab
