// Reads and writes JSON, one entry per choice, each with the version of the program that found it.
#include "app/bench/tune_cache.h"

#include "app/system/user_folder.h"
#include "app/system/version.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/forces/precision.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace gravlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kMostBytes = 1 << 20;

Json toJson(const TunedChoice& choice) {
    const LaunchConfig& launch = choice.kernel.launch;
    return {{"program", std::string(version())},
            {"backend", choice.backend},
            {"device", choice.device},
            {"driver", choice.driver},
            {"precision", nameOf(choice.precision)},
            {"n", choice.bodies},
            {"term", choice.term},
            {"kernel", choice.kernel.kernel},
            {"block", launch.block},
            {"unroll", launch.unroll},
            {"bodies_per_thread", launch.bodiesPerThread},
            {"split", launch.split},
            {"threads", choice.threads.value_or(0)},
            {"step_interactions_per_second", choice.interactionsPerSecond}};
}

TunedChoice fromJson(const Json& json) {
    TunedChoice choice;
    choice.backend = json.at("backend");
    choice.device = json.at("device");
    choice.driver = json.at("driver");
    const std::string precision = json.at("precision");
    if (const PrecisionRow* row = findPrecision(precision)) choice.precision = row->precision;
    choice.bodies = json.at("n");
    choice.term = json.value("term", std::string(kPairLawTerm));
    choice.kernel.kernel = json.at("kernel");
    choice.kernel.launch = {.block = json.at("block"),
                            .unroll = json.at("unroll"),
                            .bodiesPerThread = json.at("bodies_per_thread"),
                            .split = json.at("split")};
    const int threads = json.at("threads");
    if (threads < 0 || threads > kMostThreads || choice.bodies == 0) throw InputError("out of range");
    if (threads != 0) choice.threads = threads;
    choice.interactionsPerSecond = json.at("step_interactions_per_second");
    return choice;
}

}  // namespace

std::filesystem::path tuneCachePath() {
    const std::filesystem::path folder = userFolder("XDG_CACHE_HOME", ".cache");
    return folder.empty() ? std::filesystem::path() : folder / "tune.json";
}

std::shared_ptr<const Tuning> readTuning(const std::filesystem::path& file) {
    std::vector<TunedChoice> choices;
    // Whatever the path contains, it must neither block nor end a run.
    std::error_code error;
    if (file.empty() || !std::filesystem::exists(file, error)) return std::make_shared<Tuning>();
    try {
        Source source = Source::open(file);  // refuses folders and pipes
        std::string text(kMostBytes, '\0');
        text.resize(source.read(text.data(), text.size()));
        const Json json = Json::parse(text);
        if (json.at("format") == kFormat)
            for (const Json& entry : json.at("choices"))
                if (entry.at("program") == version()) choices.push_back(fromJson(entry));
    } catch (const std::exception&) {
        std::fprintf(stderr, "gravlab: %s is not a tuning file and is ignored; 'gravlab tune' writes a new one\n",
                     printable(file.string()).c_str());
        choices.clear();
    }
    return std::make_shared<Tuning>(std::move(choices));
}

void writeTuning(const std::filesystem::path& file, const Tuning& tuning) {
    if (file.empty()) throw IoError("there is no folder for the tuning cache: neither XDG_CACHE_HOME nor HOME is set");
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error)
        throw IoError("cannot make the folder " + file.parent_path().string() + " for the tuning cache: " + error.message());
    Json json{{"format", kFormat}, {"choices", Json::array()}};
    for (const TunedChoice& choice : tuning.choices()) json["choices"].push_back(toJson(choice));
    writeFileAtomically(file, json.dump(1) + "\n");
}

}  // namespace gravlab
