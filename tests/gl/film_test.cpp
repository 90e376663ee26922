// Pictures and films: complete or not written.
#include "app/film/film.h"
#include "app/film/film_thread.h"
#include "sim/api/errors.h"
#include "tests/command_output.h"
#include "tests/gl/film_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;

bool have(const char* program) { return !output(std::string("command -v ") + program).empty(); }

class FilmTest : public FilmFolder {
protected:
    FilmSettings settings(const std::string& name, int width = 64, int height = 48) const {
        FilmSettings s{.output = parseFilmOutput(at(name)), .width = width, .height = height, .fps = 30};
        return s;
    }
};

TEST_F(FilmTest, PngComesBackAsItWas) {
    const auto rgb = frame(37, 21, 3);
    writePng(at("a.png"), rgb, 37, 21, {{"Software", "gravlab"}, {"gravlab:scene", "collision \xc3\xa9"}});
    const Picture back = readPng(at("a.png"));
    EXPECT_EQ(back.width, 37);
    EXPECT_EQ(back.height, 21);
    EXPECT_EQ(back.rgb, rgb);
    EXPECT_EQ(back.texts.at("gravlab:scene"), "collision \xc3\xa9");
    EXPECT_EQ(files(), 1u);
}

TEST_F(FilmTest, PngErrors) {
    EXPECT_THROW(writePng(at("no/such/a.png"), frame(4, 4, 0), 4, 4), IoError);
    EXPECT_THROW(writePng(at("a.png"), frame(4, 4, 0), 5, 4), IoError);
    EXPECT_THROW(writePng("/dev/full/a.png", frame(4, 4, 0), 4, 4), IoError);
    EXPECT_EQ(files(), 0u);
    EXPECT_THROW(readPng(at("none.png")), InputError);
    std::ofstream(at("text.png")) << "no picture";
    EXPECT_THROW(readPng(at("text.png")), InputError);
    writePng(at("cut.png"), frame(64, 64, 0), 64, 64);
    fs::resize_file(at("cut.png"), fs::file_size(at("cut.png")) / 2);
    EXPECT_THROW(readPng(at("cut.png")), InputError);
}

TEST_F(FilmTest, OutputPatterns) {
    using Kind = FilmOutput::Kind;
    EXPECT_EQ(parseFilmOutput("a.png").kind, Kind::picture);
    EXPECT_EQ(parseFilmOutput("dir.x/b.mp4").kind, Kind::film);
    const FilmOutput frames = parseFilmOutput("d/f%05d.png");
    EXPECT_EQ(frames.kind, Kind::pictures);
    EXPECT_EQ(frames.frames.name(42), "d/f00042.png");
    EXPECT_EQ(frames.frames.name(1234567), "d/f1234567.png");
    EXPECT_EQ(parseFilmOutput("%d.png").frames.name(7), "7.png");
    EXPECT_EQ(parseFilmOutput("100%%.png").path, "100%.png");
    EXPECT_EQ(parseFilmOutput("100%%_%03d.png").frames.name(1), "100%_001.png");
    for (const char* bad : {"", "a", "a.avi", ".png", "x/.mp4", "%s.png", "%n%05d.png", "%5d.png", "%05x.png", "a%.png",
                            "%05d.mp4", "%05d", "%05d_%05d.png", "d%05d/a.png", "%012d.png", "a.png/"}) {
        try {
            parseFilmOutput(bad);
            ADD_FAILURE() << bad << " was accepted";
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("FILE.mp4")) << bad;
        }
    }
}

TEST_F(FilmTest, LastPictureOfSeveral) {
    auto writer = makeFilmWriter(settings("a.png"));
    EXPECT_TRUE(writer->lastFrameOnly());
    for (int i = 0; i < 3; ++i) writer->write(frame(64, 48, i));
    EXPECT_EQ(files(), 0u);
    writer->finish();
    EXPECT_EQ(readPng(at("a.png")).rgb, frame(64, 48, 2));
}

TEST_F(FilmTest, NumberedPictures) {
    auto writer = makeFilmWriter(settings("new/%03d.png"));
    for (int i = 0; i < 3; ++i) writer->write(frame(64, 48, i));
    writer->finish();
    writer.reset();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(readPng(at("new/00" + std::to_string(i) + ".png")).rgb, frame(64, 48, i));
}

TEST_F(FilmTest, UnfinishedPicturesAreTakenBack) {
    auto writer = makeFilmWriter(settings("new/%03d.png"));
    for (int i = 0; i < 3; ++i) writer->write(frame(64, 48, i));
    writer.reset();
    EXPECT_EQ(files(), 0u);
}

TEST_F(FilmTest, UnfinishedPicturesLeaveWhatStoodThereBefore) {
    std::ofstream(at("real.png")) << "old";
    fs::create_symlink(at("real.png"), at("000.png"));
    std::ofstream(at("001.png")) << "old";
    auto writer = makeFilmWriter(settings("%03d.png"));
    for (int i = 0; i < 3; ++i) writer->write(frame(64, 48, i));
    writer.reset();
    EXPECT_TRUE(fs::is_symlink(at("000.png")));
    EXPECT_EQ(readPng(at("real.png")).rgb, frame(64, 48, 0));
    EXPECT_EQ(readPng(at("001.png")).rgb, frame(64, 48, 1)) << "the old one is gone already";
    EXPECT_FALSE(fs::exists(at("002.png")));
}

TEST_F(FilmTest, HeldPicturesReplaceNothingUntilTheyAreRight) {
    std::ofstream(at("000.png")) << "old";
    FilmSettings held = settings("%03d.png");
    held.held = true;
    auto writer = makeFilmWriter(held);
    writer->write(frame(64, 48, 0));
    writer.reset();
    EXPECT_EQ(fs::file_size(at("000.png")), 3u) << "it was never said to be right";
    EXPECT_EQ(files(), 1u);
    writer = makeFilmWriter(held);
    writer->write(frame(64, 48, 0));
    writer->keep();
    EXPECT_EQ(readPng(at("000.png")).rgb, frame(64, 48, 0));
    writer->write(frame(64, 48, 1));
    EXPECT_EQ(readPng(at("001.png")).rgb, frame(64, 48, 1)) << "at once from there on";
    writer->finish();
    writer = makeFilmWriter(held);
    writer->write(frame(64, 48, 2));
    writer->finish();
    EXPECT_EQ(readPng(at("000.png")).rgb, frame(64, 48, 2)) << "one frame alone";
    EXPECT_EQ(files(), 2u);
}

TEST_F(FilmTest, FilmHasItsFramesAndLength) {
    if (!have("ffmpeg") || !have("ffprobe")) GTEST_SKIP() << "ffmpeg is not installed";
    for (const auto& [frames, fps, duration] : {std::tuple{45, 30.0, 1.5}, {25, 12.5, 2.0}}) {
        FilmSettings s = settings("a film, -odd name: 100%%.mp4");
        s.fps = fps;
        auto writer = makeFilmWriter(s);
        for (int i = 0; i < frames; ++i) writer->write(frame(64, 48, i));
        writer->finish();
        const std::string facts = output(
            "ffprobe -v error -count_frames -select_streams v -show_entries "
            "stream=nb_read_frames,width,height,pix_fmt,codec_name:format=duration -of default=noprint_wrappers=1 'file:" +
            at("a film, -odd name: 100%.mp4") + "'");
        EXPECT_THAT(facts, testing::HasSubstr("nb_read_frames=" + std::to_string(frames)));
        EXPECT_THAT(facts, testing::HasSubstr("width=64"));
        EXPECT_THAT(facts, testing::HasSubstr("codec_name=h264"));
        EXPECT_THAT(facts, testing::HasSubstr("pix_fmt=yuv420p"));
        const std::size_t at = facts.find("duration=");
        ASSERT_NE(at, std::string::npos) << facts;
        EXPECT_NEAR(std::stod(facts.substr(at + 9)), duration, 0.01);
        EXPECT_EQ(files(), 1u);  // the same name again replaces it
    }
}

TEST_F(FilmTest, OddSizesAreRefusedForFilms) {
    for (const auto& [w, h] : {std::pair{63, 48}, {64, 47}}) {
        try {
            makeFilmWriter(settings("a.mp4", w, h));
            ADD_FAILURE() << w << "x" << h;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("64x48"));
        }
    }
    EXPECT_EQ(files(), 0u);
    EXPECT_THROW(makeFilmWriter(settings("a.mp4", 0, 48)), UsageError);
    FilmSettings s = settings("a.mp4");
    s.fps = 0;
    EXPECT_THROW(makeFilmWriter(s), UsageError);
    s.fps = std::nan("");
    EXPECT_THROW(makeFilmWriter(s), UsageError);
    EXPECT_NO_THROW(makeFilmWriter(settings("odd.png", 63, 47)));
}

TEST_F(FilmTest, MissingAndForbiddenFolders) {
    for (const char* name : {"no/such/a.mp4", "no/such/a.png", "no/such/%d.png"})
        EXPECT_THROW(makeFilmWriter(settings(name)), IoError) << name;
    EXPECT_EQ(files(), 0u);
    FilmSettings s = settings("a.mp4");
    for (const char* path : {"/proc/a.mp4", "/proc/a.png"}) {
        s.output = parseFilmOutput(path);
        EXPECT_THROW(
            {
                auto writer = makeFilmWriter(s);
                writer->write(frame(64, 48, 0));
                writer->finish();
            },
            IoError)
            << path;
    }
    fs::create_directory(at("folder.png"));
    EXPECT_THROW(makeFilmWriter(settings("folder.png")), IoError);
}

TEST_F(FilmTest, EncoderThatIsNotThere) {
    FilmSettings s = settings("a.mp4");
    s.ffmpeg = "no-such-encoder";
    try {
        makeFilmWriter(s);
        FAIL();
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("%05d.png"));
    }
    EXPECT_EQ(files(), 0u);
}

TEST_F(FilmTest, EncoderThatDies) {
    FilmSettings s = settings("a.mp4", 640, 480);
    s.ffmpeg = script("echo 'the disk is on fire' >&2; exit 9");
    auto writer = makeFilmWriter(s);
    try {
        for (int i = 0; i < 100; ++i) writer->write(frame(640, 480, i));
        writer->finish();
        FAIL();
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("status 9"));
        EXPECT_THAT(error.what(), testing::HasSubstr("the disk is on fire"));
    }
    writer.reset();
    EXPECT_EQ(files(), 1u);  // the script
}

TEST_F(FilmTest, EncoderThatFailsAtTheEnd) {
    FilmSettings s = settings("a.mp4");
    s.ffmpeg = script("cat >/dev/null; echo 'no room' >&2; exit 3");
    auto writer = makeFilmWriter(s);
    writer->write(frame(64, 48, 0));
    EXPECT_THROW(writer->finish(), IoError);
    writer.reset();
    EXPECT_EQ(files(), 1u);
}

TEST_F(FilmTest, AnAbandonedFilmLeavesNothing) {
    FilmSettings s = settings("a.mp4");
    s.ffmpeg = script("exec cat >/dev/null");
    auto writer = makeFilmWriter(s);
    writer->write(frame(64, 48, 0));
    writer.reset();
    EXPECT_EQ(files(), 1u);
}

// The thread that writes films: every frame in order, none lost, and failures reported.

struct Record {
    std::vector<std::uint8_t> first;  ///< bytes of the frames
    bool finished = false, destroyed = false, discarded = false;
};

/// A slow encoder that fails at a chosen frame.
class SlowWriter final : public FilmWriter {
public:
    SlowWriter(Record& record, int failAt) : record_(record), failAt_(failAt) {}
    ~SlowWriter() override {
        record_.destroyed = true;
        record_.discarded = discarded;
    }
    void write(std::span<const std::uint8_t> rgb) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (static_cast<int>(record_.first.size()) == failAt_) throw IoError("the disk is on fire");
        record_.first.push_back(rgb[0]);
    }
    void finish() override { record_.finished = true; }

private:
    Record& record_;
    int failAt_;
};

void wait(FilmThread& thread) {
    while (!thread.done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(FilmThread, writesEveryFrameInOrderHoweverSlowTheEncoder) {
    Record record;
    int refused = 0;
    {
        FilmThread thread(std::make_unique<SlowWriter>(record, -1));
        for (std::uint8_t i = 0; i < 40; ++i) {
            while (!thread.hasRoom()) {
                ++refused;
                std::this_thread::sleep_for(std::chrono::microseconds(300));
            }
            thread.push({i});
        }
        EXPECT_FALSE(thread.done());
        thread.end();
        wait(thread);
        EXPECT_EQ(thread.error(), "");
    }
    EXPECT_GT(refused, 0) << "nobody had to wait: the queue has no bound";
    EXPECT_TRUE(record.finished);
    ASSERT_EQ(record.first.size(), 40u);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(record.first[i], i);
}

TEST(FilmThread, aFailureIsToldAndTakesNoMoreFrames) {
    Record record;
    FilmThread thread(std::make_unique<SlowWriter>(record, 3));
    for (int i = 0; i < 1000 && !thread.done(); ++i) {
        if (thread.hasRoom()) thread.push({7});
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(thread.done());
    EXPECT_FALSE(thread.hasRoom());
    thread.push({8});
    thread.end();
    EXPECT_THAT(thread.error(), testing::HasSubstr("on fire"));
    EXPECT_FALSE(record.finished);
    EXPECT_EQ(record.first.size(), 3u);
}

TEST(FilmThread, whatIsNotWantedIsNotFinished) {
    Record record;
    {
        FilmThread thread(std::make_unique<SlowWriter>(record, -1));
        thread.push({1});
        thread.discard();
    }
    EXPECT_TRUE(record.destroyed);
    EXPECT_TRUE(record.discarded);
    EXPECT_FALSE(record.finished);
}

}  // namespace
}  // namespace gravlab::test
