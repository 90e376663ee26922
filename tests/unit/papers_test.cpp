// Rates of papers: the content of the table, the figures that show them, and that a picture with them has unfilled marks.
#include "app/bench/papers.h"

#include "app/bench/figure.h"
#include "app/bench/sweep_axis.h"
#include "app/lessons/lesson_file.h"
#include "app/model/recorded.h"
#include "app/parameters/parameter.h"
#include "app/tables/format.h"
#include "app/tables/occupancy.h"
#include "sim/backends/backend.h"
#include "sim/core/value.h"
#include "sim/forces/law.h"
#include "sim/integrators/integrator.h"
#include "sim/io/file/atomic_file.h"
#include "sim/scenes/scene.h"
#include "tests/files.h"
#include "tests/paths.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const PlotSeries* curveNamed(const std::vector<PlotSeries>& curves, const std::string& label) {
    const auto found = std::ranges::find(curves, label, &PlotSeries::label);
    return found == curves.end() ? nullptr : &*found;
}

TEST(Papers, haveAllRatesThatWereComputed) {
    EXPECT_EQ(paperRates().size(), 41u);
    for (const PaperRate& rate : paperRates()) {
        EXPECT_GT(rate.rate, 0) << rate.paper << " " << rate.kernel;
        EXPECT_LT(rate.rate, 300e9) << "the launch that failed is no rate";
        EXPECT_LT(rate.rate, rate.bound > 0 ? rate.bound : 1e12) << rate.device;
        EXPECT_EQ(rate.bound > 0, rate.device == "A100" || rate.device == "GK104" || rate.device == "Tesla T4")
            << rate.device;
    }
}

TEST(Papers, standInTheFiguresOverWhatTheyVaried) {
    const std::vector<PlotSeries> blocks = paperCurves("block", PaperMeasure::gigaRate);
    const PlotSeries* basic = curveNamed(blocks, "paper 003: global, A100");
    ASSERT_TRUE(basic);
    EXPECT_THAT(basic->x, ElementsAre(1, 2, 3, 4, 8, 16, 30, 31, 32, 64, 128, 256, 512, 1023, 1024));
    EXPECT_DOUBLE_EQ(basic->y[7], 33.852);
    const PlotSeries* shared = curveNamed(blocks, "paper 003: tiled-atomics, A100, split 4");
    ASSERT_TRUE(shared);
    EXPECT_THAT(shared->x, ElementsAre(8, 16, 32, 64, 128, 256, 512));
    const std::vector<PlotSeries> splits = paperCurves("split", PaperMeasure::gigaRate);
    ASSERT_EQ(splits.size(), 1u);
    EXPECT_THAT(splits[0].x, ElementsAre(4, 8, 16, 32, 64, 128));
    EXPECT_DOUBLE_EQ(splits[0].y[3], 256.532);
    const std::vector<PlotSeries> unrolls = paperCurves("unroll", PaperMeasure::gigaRate);
    ASSERT_TRUE(curveNamed(unrolls, "paper 002: tiled, GK104"));
    EXPECT_THAT(curveNamed(unrolls, "paper 002: tiled, GK104")->y, ElementsAre(38.2, 44.5, 42.6, 45.2));
    for (const auto& curves : {blocks, splits, unrolls})
        for (const PlotSeries& curve : curves) {
            EXPECT_EQ(curve.hollow, std::vector<bool>(curve.x.size(), true)) << curve.label;
            EXPECT_EQ(curve.x.size(), curve.y.size());
        }
    const std::vector<PlotSeries> times = paperCurves("cpu-gpu", PaperMeasure::thousandSteps);
    const PlotSeries* turing = curveNamed(times, "paper 000: tiled, Tesla T4");
    ASSERT_TRUE(turing);
    EXPECT_THAT(turing->y.back(), testing::DoubleNear(21, 1e-9));
    const PlotSeries* serial = curveNamed(times, "paper 000: naive, Intel Xeon Gold 5218");
    ASSERT_TRUE(serial);
    EXPECT_THAT(serial->y, ElementsAre(18000));
    EXPECT_TRUE(paperCurves("waves", PaperMeasure::gigaRate).empty());
    EXPECT_FALSE(hasPapers("waves"));
}

TEST(Papers, areSharesOfWhatTheirDevicesCanIssue) {
    const std::vector<PlotSeries> shares = paperCurves("bodies", PaperMeasure::share);
    const PlotSeries* turing = curveNamed(shares, "paper 000: tiled, Tesla T4");
    ASSERT_TRUE(turing);
    EXPECT_THAT(turing->y.back(), testing::DoubleNear(70.3, 0.1));
    for (const PlotSeries& curve : shares)
        EXPECT_THAT(curve.label, testing::Not(HasSubstr("Xeon"))) << "a processor has none";
}

TEST(Papers, climbTheirOwnLadders) {
    const std::vector<PaperFactor> factors = paperFactors();
    const auto of = [&](const std::string& paper, const std::string& kernel) {
        for (const PaperFactor& one : factors)
            if (one.paper == paper && one.kernel == kernel) return one.factor;
        return 0.0;
    };
    EXPECT_THAT(of("002", "simd-threads"), testing::DoubleNear(332, 1));
    EXPECT_THAT(of("003", "tiled-atomics"), testing::DoubleNear(256.532 / 0.081, 1e-6));
    EXPECT_THAT(of("000", "naive-symmetric"), testing::DoubleNear(2, 1e-2));
    EXPECT_EQ(of("001", "tiled"), 0);
}

TEST(Papers, changeThePictureOfAFigure) {
    SweepResult result{.point = {.backend = "cuda", .bodies = 4096, .series = "N = 4,096", .x = 128},
                       .row = {.backend = "cuda",
                               .device = "a device",
                               .kernel = "tiled",
                               .repeats = 3,
                               .interactionsPerSecond = 3e11,
                               .msPerStep = 2,
                               .boundPerSecond = 2e12,
                               .verified = true}};
    for (const char* name : {"block", "unroll", "split", "bodies", "cpu-gpu"}) {
        const std::string csv = figureCsv(figure(name), std::vector{result});
        const Page plain = figurePage(figure(name), csv), beside = figurePage(figure(name), csv, {}, true);
        EXPECT_TRUE(plain.papers.empty()) << name;
        ASSERT_EQ(beside.papers.size(), std::string_view(name) == "cpu-gpu" ? 1u : 2u) << name;
        EXPECT_FALSE(beside.papers[0].empty()) << name;
    }
}

double paperNumber(const RecordedRow& row, std::string_view column) {
    const auto found = row.find(column);
    return found == row.end() ? 0 : numberOf(valueOf(found->second)).value_or(0);
}

std::string paperText(const RecordedRow& row, std::string_view column) {
    const auto found = row.find(column);
    return found == row.end() ? std::string() : found->second;
}

/// Pairs a second that the row's GPU can issue at 14 instructions each; 0: it is a processor.
double boundOf(const RecordedRow& row) {
    const std::string name = paperText(row, "gpu");
    if (name.empty()) return 0;
    return gpu(name).multiprocessors * gpu(name).lanes * gpu(name).clock / 14;
}

/// Tables of docs/benchmarks by their names without ending: those of GPUs, the H200's first.
std::vector<std::string> tablesOfDevices() {
    std::vector<std::string> names;
    std::string_view files = benchmarkFile("*");
    while (!files.empty()) {
        const std::size_t end = std::min(files.find('\n'), files.size());
        const std::string_view name = files.substr(0, end);
        files.remove_prefix(std::min(end + 1, files.size()));
        if (name.starts_with("nvidia-") && name.ends_with(".csv")) names.emplace_back(name.substr(0, name.size() - 4));
    }
    std::ranges::stable_sort(names, {}, [](const std::string& name) { return !name.starts_with("nvidia-h200"); });
    return names;
}

/// A verified rate of this program.
struct OwnRate {
    double rate = 0, bound = 0;
    std::string device;  ///< "nvidia-h200", also where its host computed
};

/// The rate at the launch of a paper's row, of whole steps where the paper has those. Where it gives no N, the largest
/// recorded one up to 65,536 counts; of several tables, the fastest row.
OwnRate ownRate(const RecordedRow& paper, const std::string& kernel) {
    const char* const of =
        paperText(paper, "whole_steps").empty() ? "interactions_per_second" : "step_interactions_per_second";
    constexpr const char* kLaunch[] = {"n", "block", "unroll", "split"};
    constexpr double kMostBodies = 65536;
    OwnRate best;
    double mostBodies = 0;
    for (const std::string& name : kernel.empty() ? std::vector<std::string>() : tablesOfDevices()) {
        const std::string gpu = name.substr(0, name.find('-', std::string_view("nvidia-").size()));
        if (!best.device.empty() && best.device != gpu) break;
        // The table of a device has one factor of each row; the figures over the factor have that of the paper.
        if (name == gpu && paperNumber(paper, "unroll") > 0) continue;
        // A ladder has the fastest launch of each row; the figures over the block have those of the papers.
        if (name.starts_with(gpu + "-ladder") && paperNumber(paper, "block") > 0) continue;
        for (const RecordedRow& row : recordedRows(name)) {
            if (paperText(row, "kernel") != kernel) continue;
            const bool same = std::ranges::all_of(kLaunch, [&](std::string_view column) {
                const double wanted = paperNumber(paper, column);
                return wanted == 0 || wanted == paperNumber(row, column);
            });
            const double rate = paperNumber(row, of), bodies = paperNumber(row, "n");
            if (!same || recordedRate(row).empty() || bodies < mostBodies || bodies > kMostBodies) continue;
            if (bodies == mostBodies && rate <= best.rate) continue;
            mostBodies = bodies;
            best = {rate, paperNumber(row, "bound_interactions_per_second"), gpu};
        }
    }
    return best;
}

/// The number of this program for a quantity of a paper, which is no rate: the column `ours` names a number of a table, or a
/// ratio of two, as recordedNumber() reads them, or is a fact of the H200. A time per step [us] counts for the steps of the
/// paper, in seconds.
OwnRate ownQuantity(const RecordedRow& paper) {
    const std::string which = paperText(paper, "ours");
    if (which.empty()) return {};
    if (const auto known = numberOf(valueOf(which))) return {.rate = *known, .bound = 0, .device = "nvidia-h200"};
    constexpr std::string_view kOver = " / ";
    const std::size_t over = which.find(kOver);
    OwnRate own{.rate = recordedNumber(which.substr(0, over)), .bound = 0, .device = which.substr(0, which.find(' '))};
    if (over != which.npos) own.rate /= recordedNumber(which.substr(over + kOver.size()));
    if (const double steps = paperNumber(paper, "steps"); steps > 0) own.rate *= 1e-6 * steps;
    if (own.device.starts_with("kernel-notes")) own.device = "nvidia-h200";
    own.device = own.device.substr(0, own.device.find('-', std::string_view("nvidia-").size()));
    return own;
}

/// The table of docs/benchmarks/papers.md: every number of the papers, beside it what a GPU of docs/benchmarks has with the
/// same kernel, N, block, unroll factor and split, the ratio, and the reason.
std::string papersTable() {
    std::string text =
        "| paper, place | device | what | N | p | unroll | split | theirs | of the bound | ours | of the bound | ours on | "
        "ratio | why |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    const auto giga = [](double rate) {
        return rate >= 1e12 ? std::string(grouped(static_cast<std::uint64_t>(1e-9 * rate + 0.5)))
                            : formatted("%.3g", 1e-9 * rate);
    };
    const auto shareOf = [](double rate, double bound) {
        return rate > 0 && rate < bound ? formatted("%.2f", rate / bound) : std::string();
    };
    for (const RecordedRow& row : recordedRows("papers")) {
        const auto cell = [&](std::string_view column) {
            const double value = paperNumber(row, column);
            return value > 0 ? std::string(grouped(static_cast<std::uint64_t>(value))) : std::string();
        };
        const double rate = paperNumber(row, "interactions_per_second");
        const std::string quantity = paperText(row, "quantity"), kernel = paperText(row, "kernel");
        const std::string theirs = !quantity.empty() ? paperText(row, "value")
                                   : rate > 0        ? giga(rate)
                                                     : formatted("%.4g s", paperNumber(row, "seconds"));
        const OwnRate own = rate > 0 ? ownRate(row, kernel) : ownQuantity(row);
        const double value = !quantity.empty() ? paperNumber(row, "value") : paperNumber(row, "seconds");
        const std::string unit = quantity.empty() ? " s" : "";
        std::string on = own.device.substr(std::min(own.device.size(), std::string_view("nvidia-").size()));
        std::ranges::transform(on, on.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        if (own.rate > 0 && hasKernel(hostBackend().name, kernel)) on = "host of the " + on;
        const std::string what = quantity.empty() ? "`" + kernel + "`"
                                 : kernel.empty() ? quantity
                                                  : "`" + kernel + "`, " + quantity;
        for (const std::string& part :
             {paperText(row, "paper") + ", " + paperText(row, "place"), paperText(row, "device"), what, cell("n"),
              cell("block"), cell("unroll"), cell("split"), theirs, shareOf(rate, boundOf(row)),
              !(own.rate > 0)    ? std::string()
              : rate > 0         ? giga(own.rate)
              : own.rate >= 1000 ? std::string(grouped(static_cast<std::uint64_t>(own.rate + 0.5))) + unit
                                 : formatted("%.4g", own.rate) + unit,
              shareOf(own.rate, own.bound), on,
              own.rate > 0 ? formatted("%.3g", own.rate / (rate > 0 ? rate : value)) : std::string(), paperText(row, "why")})
            text += "| " + part + (part.empty() ? "" : " ");
        text += "|\n";
    }
    return text;
}

/// The page has the table that the numbers make. GRAVLAB_WRITE_PAPERS=1 writes it, after a table of docs/benchmarks changed.
TEST(Papers, standBesideOursInTheTableOfThePage) {
    const std::string path = std::string(GRAVLAB_SOURCE_DIR) + "/docs/benchmarks/papers.md";
    const std::string begin = "<!-- table: begin -->\n", end = "<!-- table: end -->";
    std::string page = contentOf(path);
    const std::size_t from = page.find(begin), to = page.find(end);
    ASSERT_NE(from, std::string::npos);
    ASSERT_NE(to, std::string::npos);
    if (std::getenv("GRAVLAB_WRITE_PAPERS")) {
        page.replace(from + begin.size(), to - from - begin.size(), papersTable());
        writeFileAtomically(path, page);
    }
    const std::size_t first = page.find(begin) + begin.size();
    EXPECT_EQ(page.substr(first, page.find(end) - first), papersTable()) << "GRAVLAB_WRITE_PAPERS=1 writes it";
    EXPECT_THAT(papersTable(), HasSubstr("| 003, third table | A100 | `tiled-atomics` | 4,096 | 128 | | 32 | 257 | 0.37 |"));
    // Ours is the paper's kernel at its launch, in whole steps where the paper has those.
    int compared = 0;
    for (const RecordedRow& row : recordedRows("papers")) {
        if (row.at("kernel") != "tiled-atomics" || !row.at("quantity").empty()) continue;
        const std::string launch = " block=" + row.at("block") + " split=" + row.at("split");
        const std::string table = row.at("block") == "128" && row.at("split") != "4" ? "split-atomics" : "block-atomics";
        const double rate =
            recordedNumber("nvidia-h200-" + table + " tiled-atomics" + launch + " of=step_interactions_per_second");
        const std::string ours = rate < 1e12 ? formatted("%.3g", 1e-9 * rate)
                                             : std::string(grouped(static_cast<std::uint64_t>(1e-9 * rate + 0.5)));
        EXPECT_THAT(papersTable(), HasSubstr(" | " + ours + " | "));
        ++compared;
    }
    EXPECT_EQ(compared, 12);
    // Every figure and table of a paper has a reason for its ratio.
    std::set<std::string> reasons, places;
    for (const RecordedRow& row : recordedRows("papers")) {
        const std::string place = row.at("paper") + row.at("place") + row.at("kernel");
        places.insert(place);
        if (!row.at("why").empty()) reasons.insert(place);
    }
    EXPECT_EQ(reasons, places);
    // Quantities that are no rates have numbers of ours, too: ratios, best blocks, times.
    EXPECT_THAT(papersTable(), HasSubstr("| `shuffle`, rate over that of tiles | | | | | 0.75 | | 0.7"));
    EXPECT_THAT(papersTable(), HasSubstr("| `tiled`, best block | | | 16 | | 128 | | 128 | | H200 | 1 |"));
    EXPECT_THAT(papersTable(), HasSubstr("| 176.4 s | | 6.5 s | | H200 | 0.0368 |"));
    for (const RecordedRow& row : recordedRows("papers"))
        EXPECT_EQ(row.at("quantity").empty(), row.at("ours").empty() || !row.at("seconds").empty()) << row.at("place");
}

/// Names behind a word such as "kernel" in backticks.
std::vector<std::string> namesBehind(const std::string& word, const std::string& text) {
    std::vector<std::string> names;
    const std::regex named("\\b" + word + " `([^`]+)`");
    for (auto found = std::sregex_iterator(text.begin(), text.end(), named); found != std::sregex_iterator(); ++found)
        names.push_back((*found)[1].str());
    return names;
}

TEST(Papers, everyFactHasAPlaceThatExistsOrAReason) {
    const std::string root(GRAVLAB_SOURCE_DIR);
    const auto known = [&](const std::string& word, const std::string& name) {
        if (word == "kernel") return hasKernel("cuda", name) || hasKernel("cpu", name);
        if (word == "trap") return findTrap("cuda", name) != nullptr;
        if (word == "figure") return std::ranges::find(figures(), name, &FigureRow::name) != figures().end();
        if (word == "lesson") return std::ranges::find(lessonNames(), name) != lessonNames().end();
        if (word == "scene") return std::ranges::find(sceneTable(), name, &Scene::name) != sceneTable().end();
        if (word == "law") return std::ranges::find(laws(), name, &LawRow::name) != laws().end();
        if (word == "integrator") return std::ranges::find(integrators(), name, &Integrator::name) != integrators().end();
        if (word == "parameter") return findParameter(name) != nullptr;
        return std::filesystem::exists(root + "/" + name);
    };
    std::istringstream lines(contentOf(root + "/docs/benchmarks/papers-facts.md"));
    int facts = 0, places = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| ") || !std::isdigit(static_cast<unsigned char>(line[2]))) continue;
        ++facts;
        EXPECT_TRUE(line.starts_with("| " + std::to_string(facts) + " | ")) << line;
        const std::size_t cell = line.rfind(" | ");
        EXPECT_GT(line.size(), cell + 10) << line << ": no place and no reason";
        EXPECT_EQ(std::ranges::count(line, '|'), 5) << line;
        for (const char* word : {"kernel", "trap", "figure", "lesson", "scene", "law", "integrator", "parameter", "file"})
            for (const std::string& name : namesBehind(word, line)) {
                ++places;
                EXPECT_TRUE(known(word, name)) << line << "\nthere is no " << word << " " << name;
            }
    }
    EXPECT_EQ(facts, 135);
    EXPECT_GT(places, 120);
    EXPECT_FALSE(known("kernel", "no-such"));
    EXPECT_FALSE(known("file", "docs/no-such.md"));
}

/// Recorded numbers are drawn again, also on a machine without that device.
TEST(PapersCli, drawRecordedNumbersWithoutMeasuring) {
    const ScratchFolder folder;
    const std::string recorded = std::string(GRAVLAB_SOURCE_DIR) + "/docs/benchmarks/", file = (folder / "f.svg").string(),
                      table = recorded + "nvidia-h200-cpu-gpu.csv";
    const Outcome drawn = runGravlab({"bench", "--figure", "cpu-gpu", "--from", table, "--beside", "papers", "-o", file});
    if (drawn.err.find("python3-matplotlib") == std::string::npos) {
        ASSERT_EQ(drawn.code, 0) << drawn.err;
        const std::string svg = contentOf(file);
        for (const char* text : {"drawn from nvidia-h200-cpu-gpu.csv", "hollow: extrapolated", "measured on 2026-",
                                 "NVIDIA H200, 132 multiprocessors", "GPU, tiled", "paper 000: naive"})
            EXPECT_THAT(svg, HasSubstr(text));
    } else {
        EXPECT_EQ(drawn.code, 6);
        EXPECT_FALSE(fs::exists(folder / "f.csv")) << "its numbers are in the table that was named";
    }
    struct Case {
        std::vector<std::string> words;
        const char* reason;
    };
    for (const Case& one :
         {Case{{"cpu-gpu", "--from", table, "-o", file, "-n", "64"}, "measures nothing"},
          Case{{"cpu-gpu", "--from", table, "-o", "f.csv"}, "draws numbers again"},
          Case{{"groups", "--from", recorded + "papers.csv", "-o", file}, "papers.csv: there is no point to draw"}}) {
        std::vector<std::string> words{"bench", "--figure"};
        words.insert(words.end(), one.words.begin(), one.words.end());
        EXPECT_THAT(runGravlab(words).err, HasSubstr(one.reason));
    }
}

TEST(PapersCli, areRefusedWhereTheyHaveNothing) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"bench", "--beside", "papers"},
                                                  {"bench", "--figure", "waves", "-o", "w.png", "--beside", "papers"},
                                                  {"bench", "--figure", "block", "-o", "w.csv", "--beside", "papers"},
                                                  {"bench", "--figure", "block", "-o", "w.png", "--beside", "books"}}) {
        const Outcome outcome = runGravlab(words);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("--beside"), HasSubstr("books")));
    }
}

}  // namespace
}  // namespace gravlab
