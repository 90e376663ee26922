// Recording from the window: by key and panel, at its own size, with exactly the chosen steps.
#include "gui_fixture.h"
#include "tests/command_output.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// "width,height,frames,seconds".
std::string probe(const fs::path& film) {
    return output(
        "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
        "stream=width,height,nb_read_frames:format=duration -of csv=p=0 '" +
        film.string() + "' | tr '\\n' ',' | sed 's/,$//'");
}

class WindowFilm : public GuiTest {
protected:
    /// Waits until the recording is over; returns the last status.
    Json ended() {
        return waitFor("the end of the film", [](const Json& s) { return s.at("film").at("active") == false; });
    }
    std::vector<std::string> films() const {
        std::vector<std::string> found;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            if (entry.path().filename().string().find("plummer") != std::string::npos)
                found.push_back(entry.path().filename());
        return found;
    }
};

TEST_F(WindowFilm, hasExactlyTheFramesAskedForWhateverTheWindowDoes) {
    if (!installed("ffmpeg") || !installed("ffprobe")) GTEST_SKIP() << "ffmpeg is not installed";
    open({"plummer", "-n", "200", "--size", "900x640", "--backend", "cpu", "--steps-per-frame", "7", "--no-config"});
    key("alt+r");
    waitFor("the panel", [](const Json& s) { return s.at("film").at("shown") == true; });
    settle();
    choose("film_size", "640 x 360");
    settle();
    overwrite("film.steps_per_frame", "3");
    overwrite("film.length", "0.4");
    const auto before = status().at("step").get<std::int64_t>();
    click("record");
    waitFor("the first frames", [](const Json& s) { return s.at("film").at("frames") >= 1; });
    const Json after = ended();
    EXPECT_EQ(after.at("film").at("frames"), 24) << "0.4 s of 60 frames a second";
    EXPECT_THAT(after.at("message").get<std::string>(), HasSubstr("24 frames, 0.40 s"));
    EXPECT_GE(after.at("step").get<std::int64_t>() - before, 3 * 23) << "three steps a frame";
    const fs::path film = folder / after.at("film").at("file").get<std::string>();
    EXPECT_THAT(probe(film), testing::StartsWith("640,360,24,0.4"));

    // Without a length, at the window's size, by key alone; then the window is closed during the recording.
    overwrite("film.length", "0");
    choose("film_size", "as the window");
    waitForValue("menu", false);
    waitForValue("navigating", false);
    key("Escape");
    waitFor("no panel", [](const Json& s) { return s.at("film").at("shown") == false; });
    key("ctrl+r");
    const Json now = waitFor(
        "a second film", [&](const Json& s) { return s.at("film").at("active") == true && s.at("film").at("frames") >= 5; });
    const fs::path second = folder / now.at("film").at("file").get<std::string>();
    EXPECT_NE(second, film);
    key("ctrl+q");
    EXPECT_EQ(program->wait(std::chrono::seconds(20)), 0);
    const std::string found = probe(second);
    EXPECT_THAT(found, testing::StartsWith("900,640,")) << found;
    std::ifstream log(folder / "gravlab.log");
    const std::string said{std::istreambuf_iterator<char>(log), {}};
    int width = 0, height = 0, frames = 0;
    double seconds = 0;
    ASSERT_EQ(std::sscanf(found.c_str(), "%d,%d,%d,%lf", &width, &height, &frames, &seconds), 4) << found;
    EXPECT_GE(frames, 5);
    EXPECT_NEAR(seconds, frames / 60.0, 0.01);
    EXPECT_THAT(said, HasSubstr(second.filename().string() + ": " + std::to_string(frames) + " frames"));
    EXPECT_EQ(films().size(), 2u) << "nothing else is left";
}

TEST_F(WindowFilm, whatIsCancelledIsNotKeptAndAFailureDoesNotEndTheRun) {
    // An ffmpeg that lists its encoders, then takes no frame, or fails as on a full disk.
    fs::create_directory(folder / "bin");
    std::ofstream(folder / "bin" / "ffmpeg")
        << "#!/bin/sh\ncase \"$*\" in *-encoders*) echo ' V....D libx264 x'; exit 0;; esac\n"
           "if [ -e '"
        << (folder / "full").string()
        << "' ]; then echo 'No space left on device' >&2; exit 1; fi\n"
           "if [ -e '"
        << (folder / "stuck").string()
        << "' ]; then exec sleep 1000; fi\n"
           "exec cat >/dev/null\n";
    fs::permissions(folder / "bin" / "ffmpeg", fs::perms::owner_all);
    const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
    {
        const EnvironmentVariable found("PATH", (folder / "bin").string() + ":" + path);
        open({"plummer", "-n", "200", "--size", "900x640", "--backend", "cpu", "--no-config"});
    }
    key("ctrl+r");
    waitFor("frames", [](const Json& s) { return s.at("film").at("frames") >= 3; });
    click("cancel-film");
    EXPECT_THAT(ended().at("message").get<std::string>(), HasSubstr("cancelled"));
    EXPECT_TRUE(films().empty());
    // The window goes on, although a stuck encoder is ended only after a minute.
    std::ofstream(folder / "stuck") << "yes";
    key("ctrl+r");
    waitFor("a frame", [](const Json& s) { return s.at("film").at("frames") >= 1; });
    click("cancel-film");
    const auto cancelled = ended().at("step").get<std::int64_t>();
    waitFor("steps after it", [&](const Json& s) { return s.at("step") > cancelled; });
    std::ofstream(folder / "full") << "yes";
    key("ctrl+r");
    const Json failed = waitFor("a failure", [](const Json& s) {
        return s.at("message").get<std::string>().find("No space left") != std::string::npos;
    });
    EXPECT_EQ(failed.at("film").at("active"), false);
    const auto step = failed.at("step").get<std::int64_t>();
    waitFor("more steps", [&](const Json& s) { return s.at("step") > step; });
}

}  // namespace
}  // namespace gravlab::test
