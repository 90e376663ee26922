// Every way known to us to write a scene file or an option wrongly: each is refused with its line and the allowed values.
// Files that are no scene files are refused, too.
#include "app/commands/subcommand.h"
#include "app/files/config.h"
#include "app/files/scene_file.h"
#include "app/parameters/parameter.h"
#include "app/system/picture.h"
#include "cli_support.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusalOf(const std::string& text) {
    StartOptions options;
    try {
        takeSceneText(text, "my.toml", options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

struct BadText {
    const char* text;
    int line;           ///< that the message names
    const char* words;  ///< the mistake or the allowed values, in the message
};

constexpr BadText kBadTexts[] = {
    // Form.
    {"scene", 1, "expected KEY = VALUE"},
    {"scene = \"disc\"\nbodies 5", 2, "expected KEY = VALUE"},
    {"= 5", 1, "unknown setting"},
    {"[run]\n", 1, "[view]"},
    {"scene = \"disc\"\n[view]\n[lab]", 3, "[view], [twin] and [camera.path]"},
    {"[view]\ndistance", 2, "expected KEY = VALUE"},
    {"seed = 1\n\n# remark\nseed = 2", 4, "twice, first in line 1"},
    {"[view]\npaper = true\npaper = false", 3, "twice, first in line 2"},
    {"\x01\x02\xff\xfe\x80", 1, "expected KEY = VALUE"},
    {"\xff\xfes\n", 1, "expected KEY = VALUE"},
    // Names.
    {"scene = \"disc\"\nbodys = 5", 2, "did you mean 'bodies'"},
    {"dt = 0.1", 1, "time_step"},
    {"scene = disc", 1, "the name of a scene"},
    {"scene = \"\"", 1, "the name of a scene"},
    {"scene = \"disk", 1, "the name of a scene"},
    {"scene = 5", 1, "the name of a scene"},
    {"scene = \"plumer\"", 1, "'plummer'"},
    {"\nintegrator = \"leapfrg\"", 2, "'leapfrog'"},
    {"backend = \"gpu\"", 1, "reference, cpu, cuda"},
    {"kernel = \"tield\"", 1, "'tiled'"},
    {"law = \"newton\"", 1, "the name of a law"},
    {"precision = \"fp16\"", 1, "\"fp32\", \"mixed\" or \"fp64\""},
    {"precision = fp32", 1, "\"fp32\", \"mixed\" or \"fp64\""},
    // Numbers.
    {"bodies = -1", 1, "up to 2147483647"},
    {"bodies = 1e99", 1, "up to 2147483647"},
    {"bodies = 2147483648", 1, "up to 2147483647"},
    {"bodies = 12.5", 1, "whole number"},
    {"bodies = \"12\"", 1, "whole number"},
    {"bodies = 12 13", 1, "whole number"},
    {"seed = -1", 1, "from 0 to 18446744073709551615"},
    {"seed = 18446744073709551616", 1, "from 0 to 18446744073709551615"},
    {"time_step = nan", 1, "a finite number"},
    {"time_step = inf", 1, "a finite number"},
    {"time_step = 0", 1, "time step is 0"},
    {"time_step = 0,01", 1, "a finite number"},
    {"time_step = ", 1, "a finite number"},
    {"softening = -0.1", 1, "at least 0"},
    {"softening = 1e999", 1, "at least 0"},
    {"exponent = 13", 1, "from -4 to 12"},
    {"strength = 0", 1, "from 0.001 to 1000"},
    {"diameter = -1.0", 1, "from 0.001 to 1000"},
    {"cut_off = 0.9", 1, "from 1 to 20"},
    {"cut_off = nan", 1, "from 1 to 20"},
    {"threads = 1000000", 1, "from 0 to 4096"},
    {"block = 0", 1, "at least 1"},
    // Combinations that are not allowed.
    {"scene = \"two-body\"\nbodies = 3", 2, "always has 2 bodies"},
    {"scene = \"galaxy\"\nparameters = { toomreq = 1 }", 2, "toomre-q"},
    {"scene = \"galaxy\"\nparameters = { toomre-q = 1e9 }", 2, "allowed are"},
    {"parameters = { a = 1 }\nscene = \"two-body\"", 1, "no parameters"},
    {"parameters = { a = }", 1, "{ name = number"},
    {"parameters = { a = 1, a = 2 }", 1, "{ name = number"},
    {"scene = \"charges\"\nintegrator = \"hermite4\"", 2, "radau15"},
    // The view.
    {"[view]\ndistanze = 4", 2, "'distance'"},
    {"[view]\ndistance = 0", 2, "above 0"},
    {"[view]\ndistance = nan", 2, "finite"},
    {"[view]\nazimuth = north", 2, "finite"},
    {"[view]\npaper = 1", 2, "true or false"},
    {"[view]\northographic = True", 2, "true or false"},
    {"[view]\ntarget = [1, 2]", 2, "[x, y, z]"},
    {"[view]\ntarget = 1, 2, 3", 2, "[x, y, z]"},
    {"[view]\ntarget = [1, 2, nan]", 2, "finite"},
    {"[view]\ncolour = speed", 2, "name in quotes"},
    {"[view]\ncolour = \"sped\"", 2, "'speed'"},
    {"[view]\nmap = \"rainbow\"", 2, "unknown colour map"},
    {"[view]\ntone = \"hdr\"", 2, "aces"},
    {"[view]\nexposure = -1", 2, "above 0"},
    {"[view]\nglow = -0.5", 2, "at least 0"},
    {"[view]\ntrails = 1000000", 2, "at most 100000"},
    {"[view]\noverlay = \"klock\"", 2, "'clock'"},
    {"[view]\nsteps_per_frame = 0", 2, "at least 1"},
};

TEST(ConfigMatrix, everyBadSceneFileIsRefusedWithLineAndWhatIsAllowed) {
    for (const BadText& bad : kBadTexts) {
        SCOPED_TRACE(bad.text);
        const std::string message = refusalOf(bad.text);
        EXPECT_THAT(message,
                    AllOf(HasSubstr("my.toml"), HasSubstr("line " + std::to_string(bad.line) + ":"), HasSubstr(bad.words)));
        for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << message;
        EXPECT_LT(message.size(), 3000u);
    }
    EXPECT_EQ(refusalOf("scene = \"disc\"  # a remark\r\n\r\nbodies = +12\r\n[view]\r\npaper = true\r\n"), "accepted");
    EXPECT_EQ(refusalOf(""), "accepted") << "an empty file asks for nothing";
}

TEST(ConfigMatrix, aRefusedFileChangesNoOption) {
    StartOptions options{.simulation = {.scene = "two-body"}};
    const RunRequest before = options.simulation;
    EXPECT_THROW(takeSceneText("scene = \"disc\"\nbodies = 7\nseed = x\n", "my.toml", options), InputError);
    EXPECT_TRUE(options.simulation == before);
}

TEST(ConfigMatrix, badOptionsAreOneSentenceThatNamesThem) {
    struct Bad {
        std::vector<std::string> words;
        const char* said;
    };
    const Bad kBad[] = {
        {{"--dt"}, "--dt"},
        {{"--dt", ""}, "finite"},
        {{"--dt", "0,01"}, "finite"},
        {{"--dt", "1e-400"}, "finite"},
        {{"--dt", "inf"}, "finite"},
        {{"--dt", "--paper"}, "--dt"},
        {{"-n", "1e-3"}, "64k"},
        {{"-n", "0x10"}, "64k"},
        {{"-n", "3000M"}, "2147483647"},
        {{"-n", "99999999999999999999"}, "2147483647"},
        {{"-n", " 5"}, "64k"},
        {{"--seed", "-1"}, "18446744073709551615"},
        {{"--seed", "1.0"}, "18446744073709551615"},
        {{"--size", "1280"}, "1280x720"},
        {{"--size", "1e9x1"}, "1280x720"},
        {{"--exposure", "0"}, "above 0"},
        {{"--map", "jet"}, "colour map"},
        {{"--tone", ""}, "tone"},
        {{"--overlay", "clock,,axs"}, "'axes'"},
        {{"--set", "toomre-q"}, "NAME=VALUE"},
        {{"--set", "toomre-q=much"}, "finite"},
        {{"--law", "gravitation"}, "valid: auto, gravity"},
        {{"--backend", "opencl"}, "reference, cpu, cuda"},
        {{"--integrator", ""}, "integrator"},
        {{"--frames", "-3"}, "at least 1"},
        {{"--steps-per-frame", "1000000000000"}, "at most"},
        {{"--time-budget", "-1"}, "at least 0"},
        {{"--speed", "-1"}, "at least 0"},
        {{"--block", "-1"}, "at least 1"},
        {{"--lab", "sweeep"}, "'sweep'"},
        {{"--nonsense"}, "--nonsense"},
        {{"two", "scenes"}, "'two'"},
    };
    for (const Bad& bad : kBad) {
        std::vector<const char*> argv{"gravlab", "view", "plummer"};
        for (const std::string& word : bad.words) argv.push_back(word.c_str());
        if (bad.words[0] == "two") argv.erase(argv.begin() + 2);
        SCOPED_TRACE(bad.words[0] + " " + (bad.words.size() > 1 ? bad.words[1] : ""));
        try {
            parseOptions(static_cast<int>(argv.size()), argv.data());
            ADD_FAILURE() << "accepted";
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr(bad.said));
            EXPECT_LT(std::strlen(error.what()), 3000u);
        }
    }
}

/// The refusal of one option; empty when it is accepted.
std::string optionRefusal(const std::string& option, const std::string& value) {
    const std::string word = option + "=" + value;
    const char* argv[] = {"gravlab", "view", "plummer", word.c_str()};
    try {
        parseOptions(4, argv);
        return {};
    } catch (const UsageError& error) {
        return error.what();
    }
}

TEST(ConfigMatrix, everyReaderAllowsWhatTheTableSays) {
    int compared = 0;
    for (const Parameter& row : parameters()) {
        const bool number = row.kind == Kind::number || row.kind == Kind::integer;
        if (!number || !row.path.starts_with("look.") || row.storedAs.option.empty()) continue;
        const std::string allowed = allowedText(row);
        std::vector<std::string> wrong{"-1", "nan", "many"};
        if (std::isfinite(row.bounds.most))
            wrong.push_back(valueText(Value(static_cast<std::int64_t>(row.bounds.most) + 1)));
        for (const std::string& value : wrong) {
            EXPECT_THAT(optionRefusal(std::string(row.storedAs.option), value), HasSubstr(allowed))
                << row.path << " " << value;
            const std::string key(row.storedAs.scene.substr(5));  // without view.
            EXPECT_THAT(refusalOf("[view]\n" + key + " = " + value), HasSubstr(allowed)) << row.path << " " << value;
            ++compared;
            if (!row.storedAs.configuration.starts_with("look.")) continue;
            Remembered memory;
            const auto notes = takeConfig("[look]\n" + key + " = " + value + "\n", "config.toml", memory);
            ASSERT_EQ(notes.size(), 1u) << row.path << " " << value;
            EXPECT_THAT(notes.front(), HasSubstr(allowed));
        }
    }
    EXPECT_GE(compared, 15);
    EXPECT_EQ(optionRefusal("--threads", "auto"), "") << "as scripts say it";
    EXPECT_THAT(optionRefusal("--glow", "5"), HasSubstr("at most 1"));
    EXPECT_EQ(optionRefusal("--glow", "1"), "");
    Remembered memory;
    EXPECT_TRUE(takeConfig("[window]\ntext_scale = 4\n", "config.toml", memory).empty());
    EXPECT_EQ(memory.options.settings.at("window.text_scale"), Value(4.0));
    EXPECT_NE(optionRefusal("--exposure", "1e-60"), "") << "0 where it is held";
    EXPECT_NE(optionRefusal("--distance", "1e60"), "");
}

TEST(ConfigMatrix, whatIsNoSceneFileIsRefusedAtOnce) {
    const ScratchFolder folder;
    const auto put = [&](const char* name, std::string_view text) {
        std::ofstream(folder / name, std::ios::binary) << text;
    };
    ASSERT_EQ(::mkfifo((folder / "pipe.toml").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo((folder / "pipe.png").c_str(), 0600), 0);
    fs::create_directory(folder / "folder.toml");
    fs::create_directory(folder / "folder.png");
    fs::create_symlink(folder / "loop.toml", folder / "loop.toml");
    fs::create_symlink("/dev/zero", folder / "zero.toml");
    put("wide.toml", std::string("\xff\xfe"
                                 "s\0c\0",
                                 6));
    put("long.toml", "scene = \"" + std::string(600000, 'x') + "\"\n");
    put("huge.toml", std::string(10u << 20, '#'));
    put("text.png", "scene = \"disc\"\n");
    put("empty.png", "");
    const std::vector<std::uint8_t> pixels(3 * 4 * 4, 9);
    writePng((folder / "plain.png").string(), pixels, 4, 4);
    writePng((folder / "wrong.png").string(), pixels, 4, 4, {{kSceneFileKey, "scene = \"nowhere\"\n"}});
    // A picture whose header declares more pixels than its bytes can hold: width and height are the first two numbers of
    // IHDR.
    std::string bomb = contentOf(folder / "plain.png");
    bomb[18] = bomb[22] = 0x3f;
    put("bomb.png", bomb);
    const std::pair<const char*, const char*> kFiles[] = {
        {"pipe.toml", "a pipe"},        {"pipe.png", "a pipe"},    {"folder.toml", "a folder"},   {"folder.png", "a folder"},
        {"loop.toml", "cannot read"},   {"zero.toml", "a device"}, {"missing.toml", "No such"},   {"wide.toml", "zero byte"},
        {"long.toml", "unknown scene"}, {"huge.toml", "1 MiB"},    {"text.png", "PNG"},           {"empty.png", "PNG"},
        {"plain.png", "no scene"},      {"wrong.png", "line 1"},   {"bomb.png", "no usable PNG"},
    };
    for (const auto& [name, words] : kFiles) {
        StartOptions options{.file = (folder / name).string()};
        try {
            withSceneFile(options);
            ADD_FAILURE() << name << " was accepted";
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr(words)));
            EXPECT_LT(std::strlen(error.what()), 3000u) << name;
        }
        const bool picture = std::string_view(name) == "plain.png" || std::string_view(name) == "wrong.png";
        if (!picture) {
            EXPECT_THROW(readPng(options.file), InputError) << name;
        }
    }
    // A byte order mark, spaces, and letters of any alphabet in the name are allowed.
    put("Моя сцена, α.toml", "\xEF\xBB\xBFscene = \"two-body\"\n");
    StartOptions options{.file = (folder / "Моя сцена, α.toml").string()};
    EXPECT_EQ(withSceneFile(options).simulation.scene, "two-body");
    const Outcome program = runGravlab({"render", (folder / "wrong.png").string(), "-o", (folder / "x.png").string()});
    EXPECT_EQ(program.code, 3) << program.err;
    EXPECT_EQ(linesOf(program.err).size(), 1u) << program.err;
}

/// A folder with a German locale, made here because machines for tests have none; empty where localedef is missing.
std::string germanLocale(const ScratchFolder& folder) {
    const std::string command = "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE.UTF-8").string() + "' > /dev/null 2>&1";
    return std::system(command.c_str()) == 0 ? folder.path().string() : std::string();
}

TEST(ConfigMatrix, aDecimalCommaReadsAndWritesPoints) {
    const ScratchFolder folder;
    const std::string place = germanLocale(folder);
    if (place.empty()) GTEST_SKIP() << "THE DECIMAL COMMA IS NOT TESTED: localedef cannot make a locale here";
    std::ofstream(folder / "scene.toml") << "scene = \"plummer\"\nbodies = 20\ntime_step = 0.015625\nsoftening = 0.25\n";
    std::ofstream(folder / "start.csv") << "m,x,y,z,vx,vy,vz\n1.5,1.25,0,0,0,0.4,0\n1,-1,0,0,0,-0.4,0.5\n";
    const std::vector<std::vector<std::string>> kRuns = {
        {"run", "plummer", "-n", "20", "--backend", "reference", "--dt", "0.125", "--steps", "3", "--final", "-"},
        {"run", "plummer", "-n", "20", "--backend", "reference", "--dt", "0.125", "--steps", "3", "--csv", "-"},
        {"run", (folder / "scene.toml").string(), "--backend", "reference", "--steps", "2", "--final", "-"},
        {"run", (folder / "start.csv").string(), "--backend", "reference", "--steps", "2", "--final", "-"},
        {"convert", (folder / "start.csv").string(), "-"},
        {"info", (folder / "start.csv").string(), "--json"},
        {"list", "scenes", "--json"},
    };
    Start german{.environment = {"LOCPATH=" + place, "LC_ALL=de_DE.UTF-8"}};
    for (const std::vector<std::string>& words : kRuns) {
        SCOPED_TRACE(words[0] + " " + words[1]);
        const Outcome usual = runGravlab(words), there = runGravlab(words, german);
        EXPECT_EQ(usual.code, 0) << usual.err;
        EXPECT_EQ(there.code, usual.code) << there.err;
        EXPECT_EQ(there.out, usual.out);
        EXPECT_FALSE(usual.out.empty());
    }
    const Outcome comma = runGravlab({"run", "plummer", "--dt", "0,125", "--steps", "1"}, german);
    EXPECT_EQ(comma.code, 2) << "a comma stays a mistake";
}

TEST(ConfigMatrix, everyKindOfOutputIsWrittenOrRefused) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe.csv").c_str(), 0600), 0);
    fs::create_directory(folder / "folder.csv");
    fs::create_symlink(folder / "target.csv", folder / "link.csv");
    fs::create_symlink(folder / "loop.csv", folder / "loop.csv");
    const std::string longName = std::string(300, 'n') + ".csv";
    const auto finalTo = [&](const std::string& file) {
        return runGravlab({"run", "two-body", "--steps", "1", "--backend", "reference", "--final", file});
    };
    for (const std::string& name :
         {std::string("folder.csv"), longName, std::string("gone/x.csv"), std::string("loop.csv")}) {
        const Outcome o = finalTo((folder.path() / name).string());
        EXPECT_EQ(o.code, 6) << name << ": " << o.err;
        EXPECT_LT(o.seconds, 20) << name;
        EXPECT_FALSE(o.err.empty()) << name;
    }
    for (const char* name : {"with space.csv", "Ünïcode 星.csv", "quote'\".csv", "link.csv"}) {
        const Outcome o = finalTo((folder / name).string());
        EXPECT_EQ(o.code, 0) << name << ": " << o.err;
        EXPECT_EQ(linesOf(contentOf(folder / name)).size(), 3u) << name;
    }
    const Outcome pipe = finalTo((folder / "pipe.csv").string());
    EXPECT_LT(pipe.seconds, 20) << "nobody reads the pipe; that must not hang";
    EXPECT_EQ(pipe.code, 6) << pipe.err;
    EXPECT_THAT(pipe.err, HasSubstr("nothing reads from that pipe"));
}

}  // namespace
}  // namespace gravlab
