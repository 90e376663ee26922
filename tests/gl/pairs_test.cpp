// Two commands in one frame do what they do in two frames, also where the first of them only begins in its frame.
#include "app/control/controller.h"
#include "app/parameters/parameter.h"
#include "app/session/session_files.h"
#include "app/view/base_host.h"
#include "gl_fixture.h"
#include "tests/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

namespace fs = std::filesystem;

/// Writes and reads files beside the frames, as a window does.
class FilesHost : public BaseHost {
public:
    FilesHost(App& app, SessionFiles& files) : BaseHost(app), files_(files) {}
    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        if (const auto* save = std::get_if<SaveRun>(&effect)) return files_.save(save->file, ticket);
        if (const auto* open = std::get_if<Open>(&effect)) return files_.open(*open, ticket);
        return BaseHost::carryOut(effect, ticket);
    }
    std::vector<Ended> ended() override {
        std::vector<Ended> all = BaseHost::ended();
        for (Ended& one : files_.ended()) all.push_back(std::move(one));
        return all;
    }

private:
    SessionFiles& files_;
};

/// The first lines that differ; empty: none do.
std::string firstDifference(const std::string& a, const std::string& b) {
    std::istringstream first(a), second(b);
    for (std::string one, other;;) {
        const bool more = static_cast<bool>(std::getline(first, one)), too = static_cast<bool>(std::getline(second, other));
        if (!more && !too) return {};
        if (more != too || one != other) return "'" + (more ? one : "") + "' in place of '" + (too ? other : "") + "'";
    }
}

class PairsOfCommands : public test::GlTest {
protected:
    void SetUp() override {
        GlTest::SetUp();
        folder_ = fs::path(testing::TempDir()) / ("pairs_" + std::to_string(getpid()));
        fs::create_directories(folder_);
        put(folder_ / "other.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n");
    }
    void TearDown() override {
        fs::remove_all(folder_);
        GlTest::TearDown();
    }

    /// A paused run after three steps and two changes.
    struct World {
        World() : app(options()), files(app, 0), host(app, files) {
            app.advance(false);
            for (Command command : {Command(SetParameter{"run.paused", true}), Command(SetParameter{"run.softening", 0.07}),
                                    Command(SetParameter{"view.selected", std::int64_t{5}}), Command(Invoke{"remove"}),
                                    Command(SetParameter{"view.selected", std::int64_t{7}})})
                controller.post(std::move(command), Sender::script);
            frame();
        }
        static StartOptions options() {
            StartOptions options{.simulation = {.scene = "plummer", .bodies = 40, .backend = "cpu"}};
            options.settings["run.steps_per_frame"] = std::int64_t{3};
            return options;
        }
        void frame() {
            files.update();
            for (const Event& event : controller.apply(host))
                if (isEnd(event.status)) said.insert(commandText(event.command) + ": " + event.why);
            app.advance(true);
        }
        void finish() {
            for (int i = 0; i < 20000 && (controller.busy() || files.update()); ++i) {
                frame();
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        }
        /// All settings, and the bodies.
        std::string state() {
            std::string text;
            for (const Parameter& row : parameters())
                if (!row.fact() && row.path != "run.paused")
                    text += row.path + " " + valueText(row.get(app.document)) +
                            (row.requested ? " " + valueText(row.requested(app.document)) : "") + "\n";
            ParticleSet bodies = app.runs.simulation().bodies();
            for (std::size_t i = 0; i < bodies.size(); ++i) {
                for (const Double4& v : {bodies.position[i], bodies.velocity[i]})
                    for (const double number : {v.x, v.y, v.z, v.w}) text += shortestText(number) + " ";
                text += bodies.surface.empty() ? "\n" : shortestText(bodies.surface[i].radius) + "\n";
            }
            return text;
        }

        App app;
        SessionFiles files;
        FilesHost host;
        Controller controller;
        std::multiset<std::string> said;  ///< answers, whose order differs where one effect lasts longer
    };

    std::vector<Command> commands() const {
        const auto set = [](const char* path, Value value) { return SetParameter{path, std::move(value)}; };
        return {Invoke{"save", {(folder_ / "saved.csv").string()}},
                Invoke{"undo"},
                Invoke{"reset"},
                Invoke{"remove"},
                Invoke{"hold"},
                Invoke{"drop-star"},
                Invoke{"colour-by", {std::string("mass")}},
                set("run.softening", 0.2),
                set("run.bodies", std::int64_t{30}),
                set("run.seed", std::int64_t{9}),
                set("run.scene", std::string("two-body")),
                set("run.radius", 0.01),
                set("run.precision", std::string("fp32")),
                set("run.integrator", std::string("rk4")),
                set("look.glow", 0.1),
                OpenFile{"plummer"},
                OpenFile{"two-body"},
                OpenFile{(folder_ / "other.csv").string()}};
    }
    static bool reads(const Command& command) {
        const auto* file = std::get_if<OpenFile>(&command);
        return file && file->path.ends_with(".csv");
    }
    std::string saved() const {
        const fs::path file = folder_ / "saved.csv";
        std::string text = fs::exists(file) ? contentOf(file) : std::string();
        fs::remove(file);
        return text;
    }

    fs::path folder_;
};

TEST_F(PairsOfCommands, doInOneFrameWhatTheyDoInTwo) {
    constexpr int kPairs = 25;
    std::mt19937 random(20261128);
    const std::vector<Command> all = commands();
    const auto any = [&] { return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)]; };
    std::vector<std::pair<Command, Command>> pairs;
    // A run is saved before it ends; the others are taken at random. What is read comes in a later frame, so it is second.
    for (const Command& second : all) pairs.emplace_back(all.front(), second);
    while (pairs.size() < all.size() + kPairs)
        if (const Command first = any(); !reads(first)) pairs.emplace_back(first, any());
    const std::string begun = World().state();
    for (const auto& [first, second] : pairs) {
        SCOPED_TRACE(commandText(first) + ", " + commandText(second));
        std::string states[2], files[2];
        std::multiset<std::string> said[2], undone[2];
        for (const bool together : {true, false}) {
            World world;
            world.said.clear();
            world.controller.post(first, Sender::script);
            if (!together) world.finish();
            world.controller.post(second, Sender::script);
            world.frame();
            world.finish();
            states[together] = world.state();
            files[together] = saved();
            said[together] = world.said;
            // As many undos as there were changes bring back the beginning, or say why not.
            world.said.clear();
            for (int undo = 0; undo < 4 && world.state() != begun; ++undo) {
                world.controller.post(Invoke{"undo"}, Sender::script);
                world.frame();
            }
            undone[together] = world.said;
            const bool excused =
                commandText(first) == "do undo" || commandText(second) == "do undo" ||
                std::ranges::any_of(world.said, [](const std::string& text) { return text.find("rounding") != text.npos; });
            if (!excused) {
                EXPECT_EQ(firstDifference(world.state(), begun), "");
            }
        }
        EXPECT_EQ(firstDifference(states[1], states[0]), "");
        EXPECT_EQ(firstDifference(files[1], files[0]), "");
        EXPECT_EQ(said[1], said[0]);
        EXPECT_EQ(undone[1], undone[0]);
    }
}

}  // namespace
}  // namespace gravlab
