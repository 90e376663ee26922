// A helper process may crash, loop, fill memory or send false data: this process survives and reports the reason.
#include "sim/api/errors.h"
#include "sim/io/hdf5/helper_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace gravlab {
namespace {

using ::testing::HasSubstr;

constexpr HelperLimits kLimits{std::uint64_t{64} << 20, 1};

std::string deathOf(const std::function<void(HelperOutput&)>& work) {
    HelperProcess helper(kLimits, work);
    try {
        helper.take<int>();
    } catch (const HelperFailure& failure) {
        return failure.what();
    }
    ADD_FAILURE() << "it answered";
    return {};
}

TEST(HelperProcess, StreamsValues) {
    HelperProcess helper(kLimits, [](HelperOutput& out) {
        out.put(7);
        out.text("seven");
        out.optional(std::optional<double>(0.5));
        out.optional(std::optional<double>());
        for (int i = 0; i < 1000000; ++i) out.put(i);
    });
    EXPECT_EQ(helper.take<int>(), 7);
    EXPECT_EQ(helper.text(10), "seven");
    EXPECT_EQ(helper.optional<double>(), 0.5);
    EXPECT_EQ(helper.optional<double>(), std::nullopt);
    for (int i = 0; i < 1000000; ++i) ASSERT_EQ(helper.take<int>(), i);
    EXPECT_THROW(helper.take<char>(), HelperFailure);
}

TEST(HelperProcess, DeathsAreNamed) {
    EXPECT_THAT(deathOf([](HelperOutput&) { std::raise(SIGSEGV); }), HasSubstr("crashed with signal 11"));
    EXPECT_THAT(deathOf([](HelperOutput&) { std::abort(); }), HasSubstr("crashed with signal 6"));
    EXPECT_THAT(deathOf([](HelperOutput&) { throw 1; }), HasSubstr("gave up"));
    EXPECT_THAT(deathOf([](HelperOutput&) {}), HasSubstr("gave up"));
    EXPECT_THAT(deathOf([](HelperOutput&) {
                    volatile unsigned spin = 0;
                    while (true) spin = spin + 1;
                }),
                HasSubstr("did not end"));
}

TEST(HelperProcess, OneThatStandsStillIsNotAwaitedForEver) {
    HelperLimits limits = kLimits;
    limits.silence = 1;
    HelperProcess helper(limits, [](HelperOutput&) { ::pause(); });
    try {
        helper.take<int>();
        FAIL() << "it sent nothing";
    } catch (const HelperFailure& failure) {
        EXPECT_THAT(failure.what(), HasSubstr("made no progress"));
    }
}

TEST(HelperProcess, HandlersOfTheProgramAreNotRun) {
    const auto before = std::signal(SIGABRT, [](int) { ::_exit(99); });
    EXPECT_THAT(deathOf([](HelperOutput&) { std::abort(); }), HasSubstr("signal 6"));
    std::signal(SIGABRT, before);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HelperProcess, MemoryIsBounded) {
    HelperProcess helper(kLimits, [](HelperOutput& out) {
        int megabytes = 0;
        try {
            for (; megabytes < 1024; ++megabytes) std::memset(new char[1 << 20], 1, 1 << 20);
        } catch (const std::bad_alloc&) {
        }
        out.put(megabytes);
    });
    // Beside the 64 allowed, it may reuse what this process has freed but not given back.
    EXPECT_LT(helper.take<int>(), 300);
}
#endif

TEST(HelperProcess, LiesAboutLengthsAreRefused) {
    HelperProcess helper(kLimits, [](HelperOutput& out) { out.put(~std::uint64_t{0}); });
    EXPECT_THROW(helper.text(1000), HelperFailure);
}

TEST(HelperProcess, IsGoneWithItsOwner) {
    const auto start = std::chrono::steady_clock::now();
    {
        HelperProcess helper({std::uint64_t{64} << 20, 600}, [](HelperOutput& out) {
            out.put(1);
            out.flush();
            ::sleep(60);
        });
        EXPECT_EQ(helper.take<int>(), 1);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie stayed";
}

}  // namespace
}  // namespace gravlab
