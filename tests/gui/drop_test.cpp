// Files dropped on the window, in this process: through GLFW's own callback into the frame loop. Also user input while a
// file loads.
#include "app/control/keys.h"
#include "app/files/scene_file.h"
#include "app/model/look.h"
#include "app/system/picture.h"
#include "own_window.h"
#include "sim/io/snapshot.h"
#include "tests/written.h"

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace gravlab::test {
namespace {

using namespace std::chrono_literals;
// Files are read beside the frames, and a machine may be busy with other work.
constexpr auto kLoading = 200s;
using testing::AllOf;
using testing::HasSubstr;

class DropTest : public OwnWindow {
protected:
    void SetUp() override {
        OwnWindow::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) openHere(optionsOf("plummer", 64, 320, 240));
    }
    /// The desktop's calls when files are dropped on the window.
    void drop(const std::vector<std::string>& paths) {
        GLFWwindow* here = glfwGetCurrentContext();
        const GLFWdropfun callback = glfwSetDropCallback(here, nullptr);
        ASSERT_NE(callback, nullptr);
        glfwSetDropCallback(here, callback);
        std::vector<const char*> names;
        for (const std::string& path : paths) names.push_back(path.c_str());
        callback(here, static_cast<int>(names.size()), names.data());
    }
    /// Drops a file, and runs frames until it is loaded or refused.
    void dropAndWait(const std::string& path) {
        written(*app_).dismissMessage();
        drop({path});
        frame();
        for (const auto end = std::chrono::steady_clock::now() + kLoading; std::chrono::steady_clock::now() < end;) {
            const bool news = frame();
            if (!news && ui_->state.files.busy.empty() && !controller_.busy()) return;
        }
        FAIL() << "nothing became of " << path;
    }
    std::string put(const char* name, std::string_view text) {
        const std::string path = folder / name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    const RunConfiguration& running() const { return app_->document.facts.configuration; }
};

constexpr const char* kThreeBodies = "m,x,y,z,vx,vy,vz\n1,1,0,0,0,0.4,0\n1,-1,0,0,0,-0.4,0\n0.5,0,2,0,0.3,0,0\n";

TEST_F(DropTest, snapshotsScenesAndPicturesAreOpened) {
    frame();
    dropAndWait(put("three bodies.csv", kThreeBodies));
    EXPECT_EQ(running().scene, "three bodies.csv") << app_->document.message;
    EXPECT_EQ(running().bodies, 3u);

    dropAndWait(put("scène.toml",
                    "scene = \"plummer\"\nbodies = 50\nseed = 9\ntime_step = 0.03125\n[view]\ndistance = 7\n"
                    "colour = \"mass\"\nsteps_per_frame = 2\npaper = true\n"));
    EXPECT_EQ(app_->document.message, "");
    EXPECT_EQ(running().scene, "plummer");
    EXPECT_EQ(running().bodies, 50u);
    EXPECT_EQ(running().seed, 9u);
    EXPECT_EQ(running().timeStep, 0.03125);
    EXPECT_EQ(running().backend, "cpu") << "the machine's own settings stay";
    EXPECT_EQ(app_->document.camera.distance, 7);
    EXPECT_EQ(app_->document.shownMode().name, "mass");
    EXPECT_EQ(app_->document.intent.stepsPerFrame, 2);
    EXPECT_TRUE(app_->document.look.paper);
    const std::string text = sceneFileText(app_->document);

    dropAndWait(put("other.toml", "scene = \"figure-eight\"\n"));
    EXPECT_EQ(running().scene, "figure-eight");
    EXPECT_FALSE(app_->document.look.paper) << "a scene file brings all of its look";

    const std::string picture = folder / "picture.png";
    writePng(picture, std::vector<std::uint8_t>(3 * 8 * 8, 40), 8, 8, {{kSceneFileKey, text}});
    dropAndWait(picture);
    EXPECT_EQ(app_->document.message, "");
    EXPECT_EQ(running().bodies, 50u);
    EXPECT_EQ(running().seed, 9u);
    EXPECT_EQ(app_->document.camera.distance, 7);
    EXPECT_TRUE(app_->document.look.paper);
}

TEST_F(DropTest, aBadFileLeavesTheRunGoingAndSaysWhy) {
    for (int i = 0; i < 3; ++i) frame();
    std::filesystem::create_directory(folder / "folder.csv");
    const std::pair<std::string, const char*> kBad[] = {
        {put("bad.csv", "m,x,y,z\n1,0,0,0\n1,nan,0,0\n"), "line 3"},
        {put("bad.toml", "scene = \"plummer\"\nbodys = 5\n"), "line 2: unknown setting 'bodys'; did you mean 'bodies'"},
        {put("pair.toml", "scene = \"charges\"\nintegrator = \"hermite4\"\n"), "line 2"},
        {put("noise.hdf5", std::string(2000, '\x07')), "noise.hdf5"},
        {put("text.png", "no picture"), "PNG"},
        {folder / "folder.csv", "a folder"},
        {folder / "gone.tipsy", "No such file"},
    };
    for (const auto& [path, words] : kBad) {
        SCOPED_TRACE(path);
        const RunConfiguration before = running();
        const Camera camera = app_->document.camera;
        const std::int64_t step = app_->document.facts.step;
        dropAndWait(path);
        EXPECT_THAT(app_->document.message, HasSubstr(words));
        EXPECT_TRUE(running() == before);
        EXPECT_EQ(app_->document.camera.distance, camera.distance);
        frame();
        EXPECT_GT(app_->document.facts.step, step);
    }
    // Of several files the first is opened, and a message says so.
    drop({put("a.csv", kThreeBodies), put("b.csv", "m,x,y,z\n1,0,0,0\n")});
    frame();
    EXPECT_THAT(app_->document.message, HasSubstr("the first is opened"));
    for (int i = 0; i < 500 && running().scene != "a.csv"; ++i) {
        frame();
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_EQ(running().scene, "a.csv");
}

TEST_F(DropTest, whatIsDoneWhileAFileLoadsIsDone) {
    // Remarks take time to read and none to draw: enough of them that a frame passes meanwhile on this machine.
    const std::string remark = "# " + std::string(1021, '-') + "\n";
    const auto put = [&](const std::string& name, int mebibytes) {
        std::ofstream file(folder / name, std::ios::binary);
        for (int i = 0; i < 1024 * mebibytes; ++i) file << remark;
        file << kThreeBodies;
        return (folder / name).string();
    };
    // All keys except those that quit, write files, or double the bodies repeatedly.
    const auto press = [this](int which) {
        const Key kPressed[] = {Key{'R'}, Key{'C'}, Key{'M'}, Key{']'}, Key::space, Key{'T'}, Key::home};
        pressKey(kPressed[which % 7], kNoModifier, controller_);
    };
    const auto loads = [this] { return !ui_->state.files.busy.empty(); };
    frame();
    int framesMeanwhile = 0, mebibytes = 16;
    std::string large;
    for (; framesMeanwhile < 1 && mebibytes <= 512; mebibytes *= 2) {
        const std::string name = "large" + std::to_string(mebibytes) + ".csv";
        std::filesystem::remove(large);
        large = put(name, mebibytes);
        drop({large});
        frame();
        for (const auto end = std::chrono::steady_clock::now() + kLoading;
             running().scene != name && std::chrono::steady_clock::now() < end; ++framesMeanwhile) {
            window_->handleEvents(0);
            glfwSetWindowSize(glfwGetCurrentContext(), 200 + framesMeanwhile % 100, 150 + framesMeanwhile % 70);
            const bool loading = loads();
            frame([&] {
                // A key of the frame that takes the file acts on the run of the file, as the last lines of this test show.
                if (loads()) press(framesMeanwhile);
            });
            // So `]` in that frame leaves the file, which is dropped once more.
            if (loading && !loads() && running().scene != name) drop({large});
        }
        ASSERT_EQ(running().scene, name) << app_->document.message;
        EXPECT_EQ(running().bodies, 3u);
    }
    EXPECT_GE(framesMeanwhile, 1) << "the window waited for the file";
    // A file dropped while another one loads is loaded after it.
    drop({large});
    frame();
    drop({put("last.csv", 0)});
    for (const auto end = std::chrono::steady_clock::now() + kLoading;
         (running().scene != "last.csv" || loads()) && std::chrono::steady_clock::now() < end;) {
        frame();
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_EQ(running().scene, "last.csv");
    EXPECT_EQ(running().bodies, 3u);
    // The file was dropped before this key, so its run begins first, and `]` leaves it for the scene after it.
    drop({put("left.csv", 0)});
    frame();
    std::string began;
    for (const auto end = std::chrono::steady_clock::now() + kLoading;
         began.empty() && std::chrono::steady_clock::now() < end;)
        frame([&] {
            if (loads()) return std::this_thread::sleep_for(2ms);
            began = running().scene;
            pressKey(Key{']'}, kNoModifier, controller_);
        });
    EXPECT_EQ(began, "left.csv");
    EXPECT_EQ(running().scene, sceneTable().front().name);
}

/// A session with autosaved files.
class SessionTest : public DropTest {
protected:
    void restart(double autosaveSeconds) {
        host_.reset();
        files_ = std::make_unique<SessionFiles>(*app_, autosaveSeconds);
        host_ = std::make_unique<ScreenHost>(*app_, parts());
    }
    /// Runs frames until the command has ended.
    Event ask(Command command) {
        const Ticket ticket = controller_.post(std::move(command), Sender::script);
        controller_.follow(ticket);
        for (const auto end = std::chrono::steady_clock::now() + kLoading; std::chrono::steady_clock::now() < end;) {
            frame();
            for (const Event& event : controller_.take(ticket))
                if (isEnd(event.status)) return event;
        }
        ADD_FAILURE() << "no answer";
        return {};
    }
    std::vector<std::filesystem::path> autosaves() {
        std::vector<std::filesystem::path> found;
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(folder / "state" / "gravlab", none))
            if (entry.path().extension() == ".hdf5") found.push_back(entry.path());
        return found;
    }
};

TEST_F(SessionTest, openingTheVeryFileThatIsOfferedIsAnswered) {
    const std::string offered = folder / "offered.csv";
    std::ofstream(offered) << "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n";
    written(*app_).ui.files.recover = offered;
    EXPECT_EQ(ask(OpenFile{offered}).status, CommandStatus::applied);
    EXPECT_EQ(running().bodies, 2u);
    EXPECT_FALSE(controller_.busy());
}

TEST_F(SessionTest, savesItselfAlsoWhileAnEarlierSessionIsOffered) {
    restart(0.01);
    if (!app_->document.message.empty()) GTEST_SKIP() << app_->document.message;
    written(*app_).ui.files.recover = folder / "earlier.hdf5";
    for (const auto end = std::chrono::steady_clock::now() + kLoading;
         autosaves().empty() && std::chrono::steady_clock::now() < end;)
        frame();
    EXPECT_EQ(autosaves().size(), 1u) << "nobody would have this run after a crash";
    EXPECT_EQ(files_->close(), "");
    EXPECT_TRUE(autosaves().empty()) << "a clean end leaves none";
}

TEST_F(SessionTest, aSaveThatFailsAtTheEndKeepsTheRunAndSaysSo) {
    restart(1000);
    if (!app_->document.message.empty()) GTEST_SKIP() << app_->document.message;
    frame();
    const std::int64_t step = app_->document.facts.step;
    controller_.post(Invoke{"save", {std::string("none/run.hdf5")}}, Sender::key);
    controller_.apply(*host_);
    const std::string said = files_->close();
    EXPECT_THAT(said, AllOf(HasSubstr("none/run.hdf5"), HasSubstr("continue with: gravlab ")));
    ASSERT_EQ(autosaves().size(), 1u);
    EXPECT_THAT(said, HasSubstr(autosaves().front().string()));
    EXPECT_EQ(readSnapshot(autosaves().front()).step, std::optional(step));
}

}  // namespace
}  // namespace gravlab::test
