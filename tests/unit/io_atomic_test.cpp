// A save is all or nothing, whatever fails and whenever the process dies.
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/file_calls.h"
#include "sim/io/file/source.h"
#include "sim/io/hdf5/gadget.h"
#include "tests/unit/io_support.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>

namespace gravlab {
namespace {

using io_test::TempFolder;
using ::testing::HasSubstr;

std::string failureOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const IoError& error) {
        EXPECT_EQ(error.code(), ExitCode::io);
        return error.what();
    }
    ADD_FAILURE() << "no IoError";
    return {};
}

/// Runs `body` in a child process and returns its exit code; 255 for anything unexpected.
int inChild(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        int code = 254;
        try {
            code = body();
        } catch (...) {
        }
        ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST(AtomicFile, CreatesAndReplaces) {
    const TempFolder folder;
    writeFileAtomically(folder / "a b \xc3\xa4.csv", "first");
    EXPECT_EQ(contentOf(folder / "a b \xc3\xa4.csv"), "first");
    writeFileAtomically(folder / "a b \xc3\xa4.csv", std::string(3000000, 'x'));
    EXPECT_EQ(contentOf(folder / "a b \xc3\xa4.csv"), std::string(3000000, 'x'));
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, NothingHappensWithoutCommit) {
    const TempFolder folder;
    put(folder / "a", "old");
    {
        AtomicFile file(folder / "a");
        file.write(std::string(5000000, 'x'));
        EXPECT_EQ(contentOf(folder / "a"), "old");
        EXPECT_EQ(folder.entries(), 2u);
    }
    EXPECT_EQ(contentOf(folder / "a"), "old");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, KeepsOnePrevious) {
    const TempFolder folder;
    EXPECT_EQ(previousOf(folder / "run.hdf5"), folder / "run_prev.hdf5");
    for (const char* text : {"1", "2", "3"}) writeFileAtomically(folder / "run.hdf5", text, {.keepPrevious = true});
    EXPECT_EQ(contentOf(folder / "run.hdf5"), "3");
    EXPECT_EQ(contentOf(folder / "run_prev.hdf5"), "2");
    EXPECT_EQ(folder.entries(), 2u);
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks) {
    const TempFolder folder;
    put(folder / "real", "old");
    ::chmod((folder / "real").c_str(), 0640);
    std::filesystem::create_symlink("real", folder / "link");
    writeFileAtomically(folder / "link", "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(contentOf(folder / "real"), "new");
    struct stat about {};
    ASSERT_EQ(::stat((folder / "real").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0640u);

    std::filesystem::create_symlink("not-yet", folder / "dangling");
    writeFileAtomically(folder / "dangling", "made");
    EXPECT_EQ(contentOf(folder / "not-yet"), "made");
    std::filesystem::create_symlink("loop", folder / "loop");
    EXPECT_THAT(failureOf([&] { writeFileAtomically(folder / "loop", "x"); }), HasSubstr("symbolic link"));
}

TEST(AtomicFile, RefusesBadTargetsInWords) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "sub");
    put(folder / "file", "x");
    const struct {
        std::filesystem::path target;
        const char* says;
    } cases[] = {
        {folder / "sub", "folder"},
        {folder / "sub/", "folder"},
        {folder / "none/a.csv", "does not exist"},
        {folder / "file/a.csv", "not a folder"},
        {folder / std::string(300, 'n'), "shorter"},
        {folder / (std::string(5000, 'd') + "/a"), "shorter"},
        {"", "empty"},
        {std::string("a\0b", 3), "zero byte"},
    };
    for (const auto& test : cases)
        EXPECT_THAT(failureOf([&] { writeFileAtomically(test.target, "new"); }), HasSubstr(test.says)) << test.target;
    EXPECT_EQ(folder.entries(), 2u);
}

TEST(AtomicFile, LongestNameWorks) {
    const TempFolder folder;
    writeFileAtomically(folder / std::string(255, 'n'), "new");
    EXPECT_EQ(contentOf(folder / std::string(255, 'n')), "new");
}

TEST(AtomicFile, FullDeviceIsReported) {
    const std::string says = failureOf([] { writeFileAtomically("/dev/full", std::string(100, 'x')); });
    EXPECT_THAT(says, HasSubstr("No space left"));
    EXPECT_THAT(says, HasSubstr("free some space"));
    struct stat about {};
    ASSERT_EQ(::stat("/dev/full", &about), 0);
    EXPECT_TRUE(S_ISCHR(about.st_mode)) << "the device must not be replaced";
    writeFileAtomically("/dev/null", "gone");
}

TEST(AtomicFile, PipesAreWrittenStraight) {
    const TempFolder folder;
    const auto pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(failureOf([&] { writeFileAtomically(pipe, "x"); }), HasSubstr("nothing reads"));
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    writeFileAtomically(pipe, "through");
    char text[16] = {};
    EXPECT_EQ(::read(reader, text, sizeof text), 7);
    EXPECT_STREQ(text, "through");
    {
        AtomicFile file(pipe);
        ::close(reader);
        file.write("lost");
        EXPECT_THAT(failureOf([&] { file.commit(); }), HasSubstr("reader of the pipe"));
    }
}

TEST(AtomicFile, NamesOfDescriptorsAreWrittenStraight) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const std::filesystem::path name = "/dev/fd/" + std::to_string(ends[1]);
    if (!std::filesystem::exists(name)) GTEST_SKIP() << "needs /dev/fd";
    requireFolder(name);
    writeFileAtomically(name, "through");
    ::close(ends[1]);
    char got[16] = {};
    EXPECT_EQ(::read(ends[0], got, sizeof got), 7) << "what >(command) of a shell and /dev/stdout lead to";
    EXPECT_STREQ(got, "through");
    ::close(ends[0]);
}

TEST(AtomicFile, SizeLimitLeavesTheOldFile) {
    const TempFolder folder;
    put(folder / "a", "old");
    // The default action of SIGXFSZ would end the process: the save itself must block the signal.
    EXPECT_EQ(inChild([&] {
                  const rlimit limit{1 << 16, 1 << 16};
                  ::setrlimit(RLIMIT_FSIZE, &limit);
                  std::signal(SIGXFSZ, SIG_DFL);
                  // What needs much disk is refused before any of it is written.
                  fileCalls().write = [](int, const void*, std::size_t) -> ssize_t { ::_exit(2); };
                  const std::string says = failureOf([&] { writeFileAtomically(folder / "a", std::string(1 << 20, 'x')); });
                  return says.find("it needs 1.05 MB of disk: ") != says.npos && says.find("size limit") != says.npos ? 7
                                                                                                                      : 1;
              }),
              7);
    EXPECT_EQ(contentOf(folder / "a"), "old");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, ReadOnlyFolderLeavesTheOldFile) {
    const TempFolder folder;
    put(folder / "a", "old");
    ::chmod((folder / "a").c_str(), 0666);
    ::chmod(folder.path().c_str(), 0555);
    EXPECT_EQ(inChild([&] {
                  // Permissions do not bind root.
                  if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 2;
                  const std::string says = failureOf([&] { writeFileAtomically(folder / "a", "new"); });
                  return says.find("may write to") != std::string::npos ? 7 : 1;
              }),
              7);
    EXPECT_EQ(contentOf(folder / "a"), "old");
    EXPECT_EQ(folder.entries(), 1u);
}

// ---- every system call fails once ---------------------------------------------------------------------------------------

/// Makes the n-th call through the table, of any kind, fail with `error`; counts calls.
struct SystemFault {
    int countdown = 0, error = 0;
    bool everyWriteShort = false, interrupts = false;
    FileCalls real;
    bool strikes() { return --countdown == 0; }
};
SystemFault* systemFault = nullptr;

template <class Result, class... Arguments>
Result faulty(Result (*real)(Arguments...), Arguments... arguments) {
    if (systemFault->strikes()) {
        errno = systemFault->error;
        return -1;
    }
    return real(arguments...);
}

class AtomicFileFaults : public ::testing::Test {
protected:
    void SetUp() override {
        fault_.real = fileCalls();
        systemFault = &fault_;
        fileCalls() = {
            [](const char* p, int f, mode_t m) { return faulty(systemFault->real.open, p, f, m); },
            [](int fd, const void* b, std::size_t n) -> ssize_t {
                if (systemFault->interrupts && n % 2 == 0) {
                    errno = EINTR;
                    systemFault->interrupts = false;
                    return -1;
                }
                if (systemFault->everyWriteShort) n = std::min<std::size_t>(n, 7);
                return faulty(systemFault->real.write, fd, b, n);
            },
            [](int fd) { return faulty(systemFault->real.sync, fd); },
            [](int fd) {
                const int result = faulty(systemFault->real.close, fd);
                if (result != 0) systemFault->real.close(fd);
                return result;
            },
            [](int fd, mode_t m) { return faulty(systemFault->real.setMode, fd, m); },
            [](const char* a, const char* b) { return faulty(systemFault->real.link, a, b); },
            [](const char* a, const char* b) { return faulty(systemFault->real.rename, a, b); },
            fault_.real.remove,
            [](int fd, std::size_t n) { return faulty(systemFault->real.reserve, fd, n); },
        };
    }
    void TearDown() override { fileCalls() = fault_.real; }
    SystemFault fault_;
};

TEST_F(AtomicFileFaults, AnyFailureLeavesOldOrNewComplete) {
    const std::string oldText(2000000, 'o'), newText(2500000, 'n');
    for (bool keepPrevious : {false, true})
        for (int error : {ENOSPC, EIO, EDQUOT, EACCES}) {
            int failures = 0;
            for (int nth = 1;; ++nth) {
                const TempFolder folder;
                put(folder / "a", oldText);
                fault_.countdown = nth;
                fault_.error = error;
                bool failed = false;
                try {
                    writeFileAtomically(folder / "a", newText, {.keepPrevious = keepPrevious});
                } catch (const IoError& problem) {
                    failed = true;
                    const bool inPlace = std::string_view(problem.what()).find("in place") != std::string_view::npos;
                    EXPECT_EQ(contentOf(folder / "a"), inPlace ? newText : oldText) << problem.what();
                }
                failures += failed;
                if (!failed) {
                    EXPECT_EQ(contentOf(folder / "a"), newText);
                }
                const bool hasPrevious = std::filesystem::exists(folder / "a_prev");
                EXPECT_EQ(folder.entries(), hasPrevious ? 2u : 1u) << "a temporary stayed behind";
                if (fault_.countdown > 0) break;  // more calls allowed than were made
                ASSERT_LT(nth, 100);
            }
            // open, mode, write, sync, close, rename, folder sync; opening or closing the folder may fail unseen
            EXPECT_GE(failures, (keepPrevious ? 9 : 7) + (error == ENOSPC || error == EDQUOT))
                << "and the disk that it needs";
        }
}

TEST_F(AtomicFileFaults, ShortAndInterruptedWritesAreFinished) {
    const TempFolder folder;
    fault_.everyWriteShort = fault_.interrupts = true;
    const std::string text = "a text that is longer than seven bytes";
    writeFileAtomically(folder / "a", text);
    EXPECT_EQ(contentOf(folder / "a"), text);
}

TEST_F(AtomicFileFaults, AFileSystemWithoutLinksStillKeepsThePrevious) {
    const TempFolder folder;
    put(folder / "a", "old");
    fileCalls().link = [](const char*, const char*) {
        errno = EPERM;
        return -1;
    };
    writeFileAtomically(folder / "a", "new", {.keepPrevious = true});
    EXPECT_EQ(contentOf(folder / "a"), "new");
    EXPECT_EQ(contentOf(folder / "a_prev"), "old");
}

// ---- kill -9
// --------------------------------------------------------------------------------------------------------------

/// Content that proves itself complete: its own check sum stands in front.
std::string sealedText(unsigned seed) {
    std::mt19937 random(seed);
    std::string body(200000 + random() % 100000, static_cast<char>('a' + seed % 26));
    const std::uint32_t sum = crc32c(body.data(), body.size());
    return std::string(reinterpret_cast<const char*>(&sum), sizeof sum) + body;
}
bool isWhole(const std::string& text) {
    std::uint32_t sum = 0;
    if (text.size() < sizeof sum) return false;
    std::memcpy(&sum, text.data(), sizeof sum);
    return crc32c(text.data() + sizeof sum, text.size() - sizeof sum) == sum;
}

/// Saves in a loop in a child that is killed after 1 to 10 ms, many times; returns how often the file was torn.
int tornAfterKills(const std::filesystem::path& target, int kills, const std::function<void(const std::string&)>& save) {
    std::mt19937 random(11);
    int torn = 0;
    for (int round = 0; round < kills; ++round) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (unsigned i = 0;; ++i) save(sealedText(i));
        }
        ::usleep(1000 + random() % 9000);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        torn += !isWhole(contentOf(target));
    }
    return torn;
}

TEST(AtomicFile, KillsNeverTearAFile) {
    const TempFolder folder;
    const auto target = folder / "run.hdf5";
    constexpr int kKills = 60;
    writeFileAtomically(target, sealedText(0));
    // A slow machine may end every child before its first save: the previous file is still there.
    writeFileAtomically(target, sealedText(1), {.keepPrevious = true});
    EXPECT_EQ(tornAfterKills(target, kKills,
                             [&](const std::string& text) { writeFileAtomically(target, text, {.keepPrevious = true}); }),
              0);
    EXPECT_TRUE(isWhole(contentOf(folder / "run_prev.hdf5")));

    const std::size_t before = folder.entries();
    const std::size_t swept = sweepStaleTemporaries(folder.path());
    EXPECT_EQ(folder.entries(), before - swept);
    EXPECT_LE(folder.entries(), 2u) << "stale temporaries stayed";

    // The control: the same kills against a save in place must tear the file, or the test above proves nothing.
    const auto inPlace = folder / "control";
    put(inPlace, sealedText(0));
    EXPECT_GT(tornAfterKills(inPlace, kKills, [&](const std::string& text) { put(inPlace, text); }), 0);
}

TEST(AtomicFile, TwoProcessesOneTarget) {
    const TempFolder folder;
    const auto target = folder / "shared.hdf5";
    std::vector<pid_t> children;
    for (unsigned who = 0; who < 2; ++who) {
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                for (unsigned i = 0; i < 100; ++i)
                    writeFileAtomically(target, sealedText(i + 1000 * who), {.keepPrevious = true});
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    int seen = 0;
    for (std::size_t running = children.size(); running > 0;) {
        if (std::filesystem::exists(target)) {
            EXPECT_TRUE(isWhole(contentOf(target)));
            ++seen;
        }
        int status = 0;
        if (::waitpid(-1, &status, WNOHANG) > 0) {
            EXPECT_EQ(WEXITSTATUS(status), 0);
            --running;
        }
    }
    EXPECT_GT(seen, 0);
    EXPECT_TRUE(isWhole(contentOf(target)));
    EXPECT_EQ(folder.entries(), 2u);
}

// ---- temporaries of the dead
// ------------------------------------------------------------------------------------------------

TEST(SweepStaleTemporaries, RemovesOnlyThoseOfDeadProcesses) {
    const TempFolder folder;
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    ::waitpid(dead, nullptr, 0);
    const std::string deadName = ".gravlab-" + std::to_string(dead) + "-0-00000001.tmp";
    put(folder / deadName, "stale");
    put(folder / (".gravlab-" + std::to_string(::getpid()) + "-0-00000001.tmp"), "mine");
    for (const char* other : {".gravlab-x-0.tmp", ".gravlab-.tmp", ".gravlab-99999999999999999999-1.tmp",
                              ".gravlab--5-1.tmp", "run.hdf5", ".hidden", ".gravlab-notes"})
        put(folder / other, "other");
    std::filesystem::create_directory(folder / (".gravlab-" + std::to_string(dead) + "-1-00000001.tmp"));
    std::filesystem::create_symlink("run.hdf5", folder / (".gravlab-" + std::to_string(dead) + "-2-00000001.tmp"));
    const std::size_t before = folder.entries();
    EXPECT_EQ(sweepStaleTemporaries(folder.path()), 1u);
    EXPECT_EQ(folder.entries(), before - 1);
    EXPECT_FALSE(std::filesystem::exists(folder / deadName));
    EXPECT_EQ(contentOf(folder / "run.hdf5"), "other");
    EXPECT_EQ(sweepStaleTemporaries(folder / "none"), 0u);
}

TEST(SweepStaleTemporaries, LeavesWhatIsBeingWritten) {
    const TempFolder folder;
    AtomicFile file(folder / "a");
    file.write("new");
    EXPECT_EQ(sweepStaleTemporaries(folder.path()), 0u);
    file.commit();
    EXPECT_EQ(contentOf(folder / "a"), "new");
}

TEST(Crc32c, KnownValues) {
    EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
    EXPECT_EQ(crc32c("", 0), 0u);
    EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8A9136AAu);
    for (std::size_t cut = 0; cut <= 9; ++cut)
        EXPECT_EQ(crc32c("123456789" + cut, 9 - cut, crc32c("123456789", cut)), 0xE3069283u) << cut;
}

TEST(OutputSet, nothingIsReplacedUnlessAllAreComplete) {
    const TempFolder folder;
    put(folder / "a.csv", "old");
    OutputSet outputs;
    outputs.add(folder / "a.csv").write("new");
    outputs.add("/dev/full").write("does not fit");
    EXPECT_THAT(failureOf([&] { outputs.commit(); }), HasSubstr("/dev/full"));
    EXPECT_EQ(contentOf(folder / "a.csv"), "old");

    OutputSet good;
    good.add(folder / "a.csv").write("new");
    good.add(folder / "b.csv").write("other");
    EXPECT_EQ(contentOf(folder / "a.csv"), "old");
    good.commit();
    EXPECT_EQ(contentOf(folder / "a.csv"), "new");
    EXPECT_EQ(contentOf(folder / "b.csv"), "other");
}

TEST(OutputSet, oneFileUnderTwoNamesIsRefused) {
    const TempFolder folder;
    put(folder / "a.csv", "old");
    std::filesystem::create_symlink("a.csv", folder / "link.csv");
    OutputSet outputs;
    outputs.add(folder / "a.csv");
    EXPECT_THAT(failureOf([&] { outputs.add(folder / "link.csv"); }), HasSubstr("same file"));
}

TEST(OutputSet, whatThereIsIsKeptBesideTheOldFile) {
    const TempFolder folder;
    put(folder / "a.csv", "old");
    OutputSet outputs;
    outputs.add(folder / "a.csv").write("half");
    const std::vector<std::string> kept = outputs.keepPartial();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept.front(), (folder / "a.csv.partial").string());
    EXPECT_EQ(contentOf(folder / "a.csv.partial"), "half");
    EXPECT_EQ(contentOf(folder / "a.csv"), "old");
}

TEST(OutputSet, oneThatCannotBeKeptTakesNoOtherAlong) {
    const TempFolder folder;
    OutputSet outputs;
    outputs.add(folder / "a.csv").write("a");
    outputs.add(folder / "b.csv").write("b");
    std::filesystem::create_directory(folder / "a.csv.partial");
    EXPECT_THAT(failureOf([&] { outputs.keepPartial(); }), AllOf(HasSubstr("a.csv"), HasSubstr("kept: ")));
    EXPECT_EQ(contentOf(folder / "b.csv.partial"), "b");
}

TEST(SameFile, seesThroughNamesLinksAndFoldersThatAreThere) {
    const TempFolder folder;
    put(folder / "there", "x");
    std::filesystem::create_symlink("there", folder / "link");
    std::filesystem::create_directory(folder / "sub");
    const std::filesystem::path up = folder / "sub/../there", dot = folder / "./there", gone = folder / "gone";
    EXPECT_TRUE(sameFile(folder / "there", folder / "link"));
    EXPECT_TRUE(sameFile(folder / "there", up));
    EXPECT_TRUE(sameFile(folder / "there", dot));
    EXPECT_TRUE(sameFile(gone, folder / "sub/../gone"));
    EXPECT_FALSE(sameFile(folder / "there", gone));
    EXPECT_FALSE(sameFile(gone, folder / "other"));
    EXPECT_TRUE(sameFile("not-there.csv", "./not-there.csv"));
    EXPECT_TRUE(sameFile("-", "-"));
    EXPECT_FALSE(sameFile("-", "./-"));
}

TEST(AtomicFile, anotherProgramMayWriteIt) {
    const TempFolder folder;
    put(folder / "film", "old");
    AtomicFile file(folder / "film");
    put(file.handOver(), "written by name");
    EXPECT_EQ(contentOf(folder / "film"), "old");
    file.commit();
    EXPECT_EQ(contentOf(folder / "film"), "written by name");
    EXPECT_EQ(AtomicFile("/dev/null").handOver(), "/dev/null");
}

TEST(ReadFiles, areNotReplacedUnderAnyName) {
    const TempFolder folder;
    put(folder / "data", "bodies");
    put(folder / "other", "x");
    std::filesystem::create_symlink("data", folder / "link");
    std::filesystem::create_hard_link(folder / "data", folder / "hard");
    EXPECT_NO_THROW(requireReplaceable(folder / "data", {}));
    Source::open(folder / "link").hold();
    for (const char* name : {"data", "link", "hard"}) {
        EXPECT_THROW(AtomicFile(folder / name), UsageError) << name;
        EXPECT_THROW(writeFileAtomically(folder / name, "new"), UsageError) << name;
        EXPECT_EQ(contentOf(folder / "data"), "bodies");
    }
    EXPECT_NO_THROW(writeFileAtomically(folder / "other", "new"));
    // A file that is written while it is read is checked once more.
    AtomicFile late(folder / "other");
    put(folder / "third", "third");
    std::filesystem::rename(folder / "third", folder / "other");
    Source::open(folder / "other").hold();
    EXPECT_THROW(late.commit(), UsageError);
    EXPECT_EQ(contentOf(folder / "other"), "third");
    // The file before a checkpoint would go, too.
    put(folder / "c.hdf5", "newest");
    put(folder / "c_prev.hdf5", "before");
    Source::open(folder / "c_prev.hdf5").hold();
    EXPECT_THROW(AtomicFile(folder / "c.hdf5", {.keepPrevious = true}), UsageError);
    EXPECT_NO_THROW(AtomicFile(folder / "c.hdf5"));
    EXPECT_NO_THROW(AtomicFile(folder / "data", {.mayReplaceRead = true}));
}

/// File systems reuse the inode of a deleted file.
TEST(ReadFiles, thatAreGoneHoldNobody) {
    const TempFolder folder;
    for (int i = 0; i < 20; ++i) {
        put(folder / "data", "bodies");
        Source::open(folder / "data").hold();
        std::filesystem::remove(folder / "data");
        put(folder / "other", "of somebody else");
        EXPECT_NO_THROW(requireReplaceable(folder / "other", {})) << i;
        std::filesystem::remove(folder / "other");
    }
}

TEST(ReadFiles, ofTheProcessItselfMayBeWrittenAgain) {
    const TempFolder folder;
    for (const char* text : {"first", "second", "third"}) {
        writeFileAtomically(folder / "own", text);
        Source::open(folder / "own").hold();
        EXPECT_EQ(contentOf(folder / "own"), text);
    }
}

}  // namespace
}  // namespace gravlab
