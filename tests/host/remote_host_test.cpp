// Whoever writes another frontend writes one host: each row of the menus and each key works through it, without a window.
#include "remote_host.h"
#include "../gl/gl_fixture.h"
#include "../unit/cli_support.h"
#include "app/parameters/parameter.h"
#include "tests/paths.h"
#include "tests/surroundings.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <set>
#include <string>

namespace gravlab::test {
namespace {

class RemoteHostTest : public GlTest {
protected:
    void begin() {
        host.reset();
        app.reset();
        app = std::make_unique<App>(StartOptions{.simulation = {.scene = "plummer", .bodies = 60, .backend = "cpu"}});
        host = std::make_unique<RemoteHost>(*app, folder.path());
        written(*app).selectId(5);
    }
    void TearDown() override {
        host.reset();
        app.reset();
        GlTest::TearDown();
    }
    /// Frames until the ticket has ended: its events.
    std::vector<Event> until(Ticket ticket) {
        std::vector<Event> events;
        for (const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
             std::chrono::steady_clock::now() < limit;) {
            host->frame();
            for (Event& event : host->answers(ticket)) events.push_back(std::move(event));
            if (!events.empty() && isEnd(events.back().status)) return events;
        }
        ADD_FAILURE() << "ticket " << ticket << " was never answered";
        return events;
    }
    Event ask(Command command) {
        const std::vector<Event> events = until(host->send(std::move(command)));
        return events.empty() ? Event{} : events.back();
    }

    ScratchFolder folder;
    const CurrentFolder here{folder.path()};
    std::unique_ptr<App> app;
    std::unique_ptr<RemoteHost> host;
};

TEST_F(RemoteHostTest, doesEveryRowOfTheMenus) {
    std::size_t applied = 0, refused = 0;
    std::set<std::string> inAWindow;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) {
            SCOPED_TRACE(std::string(action.name));
            begin();
            std::vector<Value> arguments;
            for (const SettingChoice& choice : choicesOf(action, app->document))
                if (choice.refused.empty()) arguments = {choice.name};
            const Ticket ticket = host->send(Invoke{std::string(action.name), arguments});
            const std::vector<Event> events = until(ticket);
            ASSERT_FALSE(events.empty());
            for (const Event& event : events) {
                EXPECT_EQ(event.ticket, ticket);
                EXPECT_EQ(event.sender, RemoteHost::kRemote);
                EXPECT_EQ(std::get<Invoke>(event.command).action, action.name);
            }
            for (std::size_t i = 0; i + 1 < events.size(); ++i) EXPECT_EQ(events[i].status, CommandStatus::running);
            const Event& last = events.back();
            EXPECT_TRUE(host->answers(ticket).empty()) << "an end is the last event";
            if (last.status == CommandStatus::applied) {
                ++applied;
                continue;
            }
            ++refused;
            EXPECT_FALSE(last.why.empty()) << "a refusal has a sentence";
            if (last.why.ends_with(" in a window")) inAWindow.insert(std::string(action.name));
        }
    EXPECT_GT(applied, 80u);
    EXPECT_GT(refused, 3u);
    // What a frontend of its own kind would have, too: a list of files, and what an earlier session left.
    const std::set<std::string> known{"recover", "discard", "list-folder"};
    for (const std::string& name : inAWindow) EXPECT_TRUE(known.contains(name)) << name << " needs a window";
}

TEST_F(RemoteHostTest, takesEveryKey) {
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            for (const KeyStroke& stroke : action.strokes) {
                if (stroke.key == Key::none) continue;
                SCOPED_TRACE(std::string(action.name));
                begin();
                const std::optional<Ticket> ticket = host->press(stroke.key, stroke.modifiers);
                ASSERT_TRUE(ticket);
                const std::vector<Event> events = until(*ticket);
                ASSERT_FALSE(events.empty());
                EXPECT_EQ(std::get<Invoke>(events.back().command).action, action.name);
                EXPECT_EQ(events.back().sender, RemoteHost::kRemote);
            }
    EXPECT_FALSE(host->press(Key::padEnter, kControl));
}

TEST_F(RemoteHostTest, hasPicturesAndFilesOfItsOwn) {
    begin();
    const std::vector<Event> events = until(host->send(Invoke{"picture"}));
    ASSERT_EQ(events.size(), 2u) << "running, until a frame was drawn";
    EXPECT_EQ(events[0].status, CommandStatus::running);
    EXPECT_EQ(events[1].status, CommandStatus::applied);
    ASSERT_EQ(host->picture().size(), std::size_t{3} * RemoteHost::kWidth * RemoteHost::kHeight);
    const std::set<std::uint8_t> levels(host->picture().begin(), host->picture().end());
    EXPECT_GT(levels.size(), 8u) << "bodies are in it";
    EXPECT_EQ(ask(Invoke{"save"}).status, CommandStatus::applied);
    EXPECT_TRUE(std::filesystem::exists(folder / "run.csv"));
    EXPECT_EQ(ask(OpenFile{(folder / "run.csv").string()}).status, CommandStatus::applied);
    EXPECT_EQ(app->document.facts.configuration.bodies, 60u);
    EXPECT_EQ(ask(OpenFile{(folder / "none.csv").string()}).status, CommandStatus::refused);
}

TEST_F(RemoteHostTest, goesThroughALesson) {
    begin();
    ASSERT_FALSE(app->document.lesson.offered.empty());
    EXPECT_EQ(ask(Invoke{"lesson", {app->document.lesson.offered.front().name}}).status, CommandStatus::applied);
    EXPECT_TRUE(app->document.lesson.shown());
}

/// One new folder: that is what a frontend costs, beside a line where it is built.
TEST(RemoteHostFiles, isKnownToNoFileOfTheProgram) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(GRAVLAB_SOURCE_DIR "/app")) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(text.find("RemoteHost"), std::string::npos) << entry.path();
    }
}

}  // namespace
}  // namespace gravlab::test
