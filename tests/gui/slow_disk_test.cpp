// A disk that takes its time: what a window writes waits for it, and no frame does.
#include "own_window.h"
#include "sim/io/file/file_calls.h"
#include "sim/io/snapshot.h"
#include "tests/written.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

namespace gravlab::test {
namespace {

using testing::HasSubstr;

std::atomic<bool> diskGoes{true};
std::thread::id frames;
FileCalls usual;
int openBeside(const char* path, int flags, mode_t mode) {
    EXPECT_NE(std::this_thread::get_id(), frames) << "a frame writes " << path;
    return usual.open(path, flags, mode);
}
int slowSync(int fd) {
    if (std::this_thread::get_id() != frames) diskGoes.wait(false);
    return usual.sync(fd);
}

/// While it stands still, no file is ever complete.
class SlowDisk : public OwnWindow {
protected:
    void SetUp() override {
        OwnWindow::SetUp();
        frames = std::this_thread::get_id();
        usual = fileCalls();
        fileCalls().open = openBeside;
        fileCalls().sync = slowSync;
    }
    void TearDown() override {
        go();
        OwnWindow::TearDown();
        fileCalls() = usual;
    }
    static void standStill() { diskGoes = false; }
    static void go() {
        diskGoes = true;
        diskGoes.notify_all();
    }
    void turn() { frame(); }
    Ticket post(const char* action, std::vector<Value> arguments = {}) {
        const Ticket ticket = controller_.post(Invoke{action, std::move(arguments)}, {Sender::Kind::script});
        controller_.follow(ticket);
        return ticket;
    }
    /// Turns until `done`, for at most the tests' patience.
    template <class Done>
    void turnUntil(const Done& done) {
        for (const auto last = std::chrono::steady_clock::now() + patience;
             !done() && std::chrono::steady_clock::now() < last;)
            turn();
    }
};

TEST_F(SlowDisk, noFrameWaitsForAFile) {
    openHere(optionsOf("figure-eight", 0, 320, 240));
    turn();
    std::ofstream(folder / "my.cu") << "// no kernel\n";
    standStill();
    std::map<std::string, Ticket> wanted;
    for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) wanted[name] = post("picture", {Value(std::string(name))});
    wanted["a.toml"] = post("save-scene", {Value(std::string("a.toml"))});
    wanted["a.csv"] = post("save", {Value(std::string("a.csv"))});
    wanted["matrix"] = post("matrix-csv");
    wanted["own"] = post("own-open", {Value(std::string("my.cu"))});
    wanted["folder"] = post("list-folder", {Value(folder.string())});
    std::map<std::string, std::vector<Event>> events;
    const auto collect = [&] {
        for (const auto& [name, ticket] : wanted)
            for (Event& event : controller_.take(ticket)) events[name].push_back(std::move(event));
    };
    const std::int64_t step = app_->document.facts.step;
    turnUntil([&] { return collect(), app_->document.facts.step >= step + 100 && events["folder"].size() == 2; });
    EXPECT_GE(app_->document.facts.step, step + 100) << "frames are made while the disk stands still";
    for (const auto& [name, ticket] : wanted) {
        ASSERT_FALSE(events[name].empty()) << name;
        EXPECT_EQ(events[name].front().status, CommandStatus::running) << name << ": " << events[name].front().why;
        EXPECT_EQ(events[name].size(), name == "folder" ? 2u : 1u) << name;
    }
    EXPECT_EQ(ui_->state.files.folder, std::filesystem::canonical(folder))
        << "what is read does not wait for what is written";
    go();
    turnUntil([&] {
        collect();
        return std::ranges::all_of(events, [](const auto& all) { return all.second.size() == 2; });
    });
    for (const auto& [name, ticket] : wanted) {
        ASSERT_EQ(events[name].size(), 2u) << name;
        EXPECT_EQ(events[name].back().status, CommandStatus::applied) << name << ": " << events[name].back().why;
    }
    for (const char* name : {"a.png", "b.png", "c.png", "d.png", "a.toml", "a.csv"})
        EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    EXPECT_THAT(events["matrix"].back().why, HasSubstr("written to gravlab-matrix-"));
    const OwnKernel& own = app_->document.labPanel.own;
    EXPECT_EQ(*own.text, "// no kernel\n");
    EXPECT_EQ(own.file, "my.cu");
    const Ticket undo = post("undo");
    turn();
    EXPECT_EQ(controller_.take(undo).at(0).why, "do own-open my.cu is undone");
    EXPECT_EQ(*own.text, "");
    EXPECT_EQ(own.file, "own.cu");
}

TEST_F(SlowDisk, closingWaitsForWhatIsQueuedAndSaysWhatFailed) {
    openHere(optionsOf("figure-eight", 0, 320, 240));
    turn();
    standStill();
    post("picture", {Value(std::string("a.png"))});
    post("save", {Value(std::string("a.csv"))});
    post("save-scene", {Value(std::string("none/a.toml"))});
    post("open", {Value(std::string("a.csv"))});
    turn();
    std::thread disk([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        go();
    });
    const std::string lost = files_->close();
    disk.join();
    EXPECT_THAT(lost, HasSubstr("none/a.toml"));
    EXPECT_TRUE(std::filesystem::exists(folder / "a.png"));
    EXPECT_TRUE(std::filesystem::exists(folder / "a.csv"));
}

TEST_F(SlowDisk, noFrameWaitsForTheStateThatABlowUpLeaves) {
    if (const Reason why = fileFormat("hdf5").unavailable(); !why.empty()) GTEST_SKIP() << why;
    StartOptions options = optionsOf("two-body", 0, 320, 240);
    options.simulation.backend = "reference";
    options.simulation.timeStep = 1e152;
    openHere(options);
    written(*app_).intent.stepsPerFrame = 1000;  // at about step 36,000 bodies leave the range of numbers
    constexpr double kNever = 1e6;               // [s] between autosaves
    host_.reset();
    files_ = std::make_unique<SessionFiles>(*app_, kNever);
    host_ = std::make_unique<ScreenHost>(*app_, parts());
    standStill();
    turnUntil([&] { return app_->document.intent.paused; });
    ASSERT_TRUE(app_->document.intent.paused);
    for (int i = 0; i < 5; ++i) turn();
    EXPECT_THAT(app_->document.message, HasSubstr("is not finite"));
    EXPECT_TRUE(ui_->state.files.recover.empty()) << "nothing is there to go on from yet";
    go();
    turnUntil([&] { return !ui_->state.files.recover.empty(); });
    EXPECT_THAT(app_->document.message, HasSubstr("is not finite"));
    EXPECT_THAT(app_->document.message, HasSubstr("was saved; continue with"));
    const std::filesystem::path kept = ui_->state.files.recover;
    EXPECT_TRUE(std::filesystem::exists(kept));
    // To go on from there, or to discard it, leaves the session marked: its next crash is offered.
    post("recover");
    turnUntil([&] { return ui_->state.files.recover.empty() && !controller_.busy() && !files_->update(); });
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(kept).replace_extension(".alive")));
    EXPECT_EQ(files_->close(), "");
}

}  // namespace
}  // namespace gravlab::test
