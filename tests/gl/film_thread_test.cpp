// The thread that writes films: every frame in order, none lost, and failures reported.
#include "app/film/film_thread.h"
#include "sim/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace gravlab::test {
namespace {

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
