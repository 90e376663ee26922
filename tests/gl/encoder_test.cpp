// Encoders: the table, ffmpeg's output for every row that works here, and films that end early.
#include "app/film/encoders.h"
#include "app/film/film.h"
#include "app/film/film_thread.h"
#include "sim/api/errors.h"
#include "tests/command_output.h"
#include "tests/gl/film_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class EncoderTest : public FilmFolder {
protected:
    FilmSettings settings(const std::string& name) const {
        FilmSettings s{.output = parseFilmOutput(at(name)), .width = 160, .height = 96, .fps = 25};
        return s;
    }
    /// "count,seconds" of the first video stream.
    static std::string probe(const std::string& file) {
        return output(
            "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames:format=duration "
            "-of csv=p=0 '" +
            file + "' | tr '\\n' ','");
    }
    static bool haveFfmpeg() { return unavailable(encoder("h264")).empty() && !output("command -v ffprobe").empty(); }
};

TEST_F(EncoderTest, theTableFindsRowsByNameAndFile) {
    EXPECT_EQ(encoderFor("a.mp4").name, "h264");
    EXPECT_EQ(encoderFor("a.webm").name, "av1");
    EXPECT_EQ(encoderFor("dir.mp4/a.mkv").name, "h264");
    EXPECT_EQ(encoderFor("d/%05d.png").name, "png");
    EXPECT_EQ(encoderFor("a.webm", "vp9", 30).name, "vp9");
    EXPECT_THROW(encoderFor("a.avi"), UsageError);
    EXPECT_THROW(encoderFor("mp4"), UsageError);
    EXPECT_THROW(encoderFor("a.mp4", "prores", -1), UsageError);
    EXPECT_THROW(encoderFor("a.mkv", "ffv1", 50), UsageError) << "quality does not apply";
    try {
        encoder("h246");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("h264"));
    }
    for (const EncoderRow& row : encoders()) {
        EXPECT_FALSE(row.idea.empty());
        EXPECT_TRUE(fits(row, "a." + std::string(row.extensions.substr(0, row.extensions.find(' ')))));
        if (row.lossless) continue;
        EXPECT_NE(encodingWords(row, 0), encodingWords(row, 100)) << row.name << " must listen to the quality";
    }
}

TEST_F(EncoderTest, whatFfmpegLacksIsSaidWithWhatWorks) {
    EXPECT_THAT(unavailable(encoder("h264"), "no-such-ffmpeg"), HasSubstr("not installed"));
    for (const EncoderRow& row : encoders()) unavailable(row, "no-such-ffmpeg");
    EXPECT_EQ(workingEncoder("no-such-ffmpeg")->name, "png");
    try {
        encoderHere("a.mp4", "", "no-such-ffmpeg");
        FAIL();
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("%05d.png"));
    }
    const std::string hangs = at("hangs");  // the result of a program's check is cached by its name
    fs::rename(script("exec sleep 1000"), hangs);
    EXPECT_EQ(workingEncoder(hangs), nullptr) << "a window does not wait for the trial";
    EXPECT_THAT(unavailable(encoder("h264"), hangs), HasSubstr("does not answer"));
    const std::string few = script("echo ' V....D libvpx-vp9 VP9'; echo ' V..... libx264rgb no plain one'");
    EXPECT_THAT(unavailable(encoder("h264"), few), HasSubstr("libx264"));
    EXPECT_EQ(encoderHere("a.webm", "", few).name, "vp9") << "av1 would be first";
    for (const EncoderRow& row : encoders()) unavailable(row, few);
    EXPECT_EQ(workingEncoder(few)->name, "vp9");
    try {
        encoderHere("a.mp4", "h265", few);
        FAIL() << "another encoder than the one asked for";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("works here: vp9, png"));
    }
    EXPECT_THAT(filmName("two bodies/x", encoder("png")),
                testing::MatchesRegex("gravlab-two-bodies-x-[0-9]+-[0-9]+/%05d.png"));
    EXPECT_THAT(filmName("galaxy", encoder("vp9")), testing::EndsWith(".webm"));
}

TEST_F(EncoderTest, whatIsCompiledInAndFailsIsSaidBeforeTheFirstFrame) {
    // Like an ffmpeg with nvenc and without a driver.
    const std::string driverless = at("driverless");  // the result of a program's check is cached by its name
    fs::rename(
        script(
            "case \"$*\" in *-encoders*) echo ' V....D h264_nvenc x'; echo ' V....D libx264 x'; exit 0;;\n"
            "*h264_nvenc*) echo '[h264_nvenc @ 0x55] Cannot load libcuda.so.1' >&2; echo 'Error initializing' >&2; exit 1;; "
            "esac"),
        driverless);
    EXPECT_EQ(unavailable(encoder("nvenc"), driverless), "h264_nvenc does not work here: Cannot load libcuda.so.1");
    EXPECT_EQ(unavailable(encoder("h264"), driverless), "");
    EXPECT_EQ(triedEncoder(encoder("nvenc"), driverless), unavailable(encoder("nvenc"), driverless)) << "asked once";
    EXPECT_EQ(triedEncoder(encoder("png"), driverless), Reason());
    try {
        encoderHere("a.mp4", "nvenc", driverless);
        FAIL();
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("libcuda.so.1"));
    }
}

TEST_F(EncoderTest, aGifRepeatsAndTakesOddSizes) {
    if (!haveFfmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
    FilmSettings s = settings("a.gif");
    s.width = 161;
    s.height = 97;
    {
        const auto writer = makeFilmWriter(s);
        for (int i = 0; i < 10; ++i) writer->write(frame(s.width, s.height, i));
        writer->finish();
    }
    EXPECT_THAT(probe(at("a.gif")), testing::StartsWith("10,0.4"));
    std::ifstream file(at("a.gif"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::size_t loop = bytes.find("NETSCAPE2.0");
    ASSERT_NE(loop, std::string::npos) << "players show it once";
    EXPECT_EQ(bytes.substr(loop + 11, 4), std::string("\x03\x01\0\0", 4)) << "for ever";
}

TEST_F(EncoderTest, everyEncoderOfThisMachineGivesExactlyTheFrames) {
    if (!haveFfmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
    for (const EncoderRow& row : encoders()) {
        if (row.codec.empty() || !unavailable(row).empty()) continue;
        if (row.name == "nvenc") continue;  // it is compiled in also where no GPU has it
        FilmSettings s =
            settings(std::string(row.name) + "." + std::string(row.extensions.substr(0, row.extensions.find(' '))));
        s.encoder = row.name;
        const auto writer = makeFilmWriter(s);
        for (int i = 0; i < 10; ++i) writer->write(frame(s.width, s.height, i));
        writer->finish();
        const std::string found = probe(s.output.path);
        EXPECT_THAT(found, testing::StartsWith("10,")) << row.name;
        EXPECT_NEAR(std::atof(found.c_str() + 3), 0.4, 0.003) << row.name << " " << found;
    }
}

TEST_F(EncoderTest, ffv1KeepsEveryPixelAndQualityMakesFilesLarger) {
    if (!haveFfmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
    FilmSettings s = settings("a.mkv");
    s.encoder = "ffv1";
    {
        const auto writer = makeFilmWriter(s);
        for (int i = 0; i < 3; ++i) writer->write(frame(s.width, s.height, i));
        writer->finish();
    }
    output("ffmpeg -v error -y -i '" + at("a.mkv") + "' -f rawvideo -pix_fmt rgb24 '" + at("raw") + "'");
    std::ifstream raw(at("raw"), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(raw), {}};
    const std::vector<std::uint8_t> last = frame(s.width, s.height, 2);
    ASSERT_EQ(bytes.size(), 3 * last.size());
    EXPECT_TRUE(std::equal(last.begin(), last.end(), bytes.begin() + static_cast<std::ptrdiff_t>(2 * last.size()),
                           [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));

    std::uintmax_t sizes[2];
    for (int k = 0; k < 2; ++k) {
        FilmSettings lossy = settings("q.mp4");
        lossy.quality = k == 0 ? 10 : 95;
        const auto writer = makeFilmWriter(lossy);
        for (int i = 0; i < 5; ++i) writer->write(frame(lossy.width, lossy.height, i));
        writer->finish();
        sizes[k] = fs::file_size(at("q.mp4"));
    }
    EXPECT_GT(sizes[1], 2 * sizes[0]);
}

TEST_F(EncoderTest, aFilmThatEndsEarlyPlaysAsFarAsItWent) {
    if (!haveFfmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
    FilmSettings s = settings("part.mp4");
    s.keepsPart = true;
    {
        const auto writer = makeFilmWriter(s);
        for (int i = 0; i < 7; ++i) writer->write(frame(s.width, s.height, i));
    }
    EXPECT_THAT(probe(at("part.mp4")), testing::StartsWith("7,"));
    EXPECT_EQ(files(), 1u);
    {
        s.output = parseFilmOutput(at("none.mp4"));
        const auto writer = makeFilmWriter(s);
        writer->write(frame(s.width, s.height, 0));
        writer->discarded = true;
    }
    EXPECT_EQ(files(), 1u) << "what is cancelled is not kept";
}

/// Such an encoder is ended after a minute. The window that cancels its film, or closes, does not wait so long.
TEST_F(EncoderTest, aFilmThatIsCancelledDoesNotWaitForAStuckEncoder) {
    FilmSettings s = settings("stuck.mp4");
    s.width = 1280;
    s.height = 720;  // a frame fills the pipe
    s.ffmpeg = script("exec sleep 1000");
    const auto begun = std::chrono::steady_clock::now();
    {
        FilmThread thread(makeFilmWriter(s));
        thread.push(frame(s.width, s.height, 0));
        while (thread.waiting() > 0) std::this_thread::yield();  // it is being written
        thread.discard();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(40));
    EXPECT_FALSE(fs::exists(at("stuck.mp4")));
}

TEST_F(EncoderTest, aFullDiskKeepsWhatWasEncodedAndSaysSo) {
    FilmSettings s = settings("full.mp4");
    s.keepsPart = true;
    // Writes its output file, then fails as on a full disk.
    s.ffmpeg =
        script("for last; do :; done; head -c 100000 > \"${last#file:}\"; echo 'No space left on device' >&2; exit 1");
    const auto writer = makeFilmWriter(s);
    try {
        for (int i = 0; i < 1000; ++i) writer->write(frame(s.width, s.height, i));
        FAIL() << "the encoder has died";
    } catch (const IoError& error) {
        EXPECT_THAT(error.what(), HasSubstr("No space left"));
        EXPECT_THAT(error.what(), HasSubstr("encoded before are kept"));
    }
    EXPECT_EQ(fs::file_size(at("full.mp4")), 100000u);
}

}  // namespace
}  // namespace gravlab::test
