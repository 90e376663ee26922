// `gravlab groups FILE|SCENE`: friends of friends in the present state of the bodies.
// Rule: no time is printed for labels that were not checked.
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/parameters/quantity.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/groups.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/core/work_watch.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/formats/units.h"
#include "sim/io/snapshot.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace gravlab {
namespace {

using Json = nlohmann::ordered_json;

/// Bodies, and the units of their display.
struct Subject {
    std::string name;
    ParticleSet bodies;
    FileUnits units;
};

/// A scene's own units in the form that a file of it would have.
FileUnits writtenUnits(const SceneUnits& units) {
    FileUnits written = physicalUnits(units);
    if (!(written.metres > 0)) return {};
    written.length = units.length;
    written.mass = units.mass;
    written.velocity = units.speed;
    written.lengthBy = units.lengthScale;
    written.massBy = 1 / units.massScale;
    written.velocityBy = units.speedScale;
    return written;
}

Subject subjectOf(const StartOptions& options, const BackendRow& row) {
    if (!options.file.empty() && !isSceneFile(options.file)) {
        const InterruptibleReading reading;
        ReadOptions read = options.read;
        read.allowSigns = true;
        read.keepsState = false;
        Snapshot snapshot = readSnapshot(options.file, read);
        return {options.file, std::move(snapshot.bodies), snapshot.fileUnits};
    }
    const RunRequest request = withFile(options).simulation;
    if (request.start) return {request.start->name, request.start->state.bodies, request.start->fileUnits};
    const Scene& scene = sceneNamed(request.scene, request.sceneVersion);
    requireParameters(scene, request.parameters);
    const std::size_t usual = row.onDevice ? scene.bodiesGpu : scene.bodiesCpu;
    const std::size_t bodies = scene.fixedBodies != 0 ? scene.fixedBodies : request.bodies.value_or(usual);
    return {std::string(scene.name), scene.build({bodies, request.seed, request.parameters}), writtenUnits(scene.units)};
}

struct Report {
    const Subject& subject;
    const GroupRow& row;
    const FoundGroups& found;
    const GroupTable& table;
    const GroupCheck& check;
    double length, mean;
    std::size_t least;

    double inFile(double length_) const { return length_ * subject.units.lengthBy; }
    double rate() const { return found.seconds > 0 ? static_cast<double>(subject.bodies.size()) / found.seconds : 0; }
    /// The group in the terms of its file: id of the first body, numbers in the file's units.
    BodyGroup shown(BodyGroup group) const {
        group.label = subject.bodies.id[group.label];
        group.mass /= subject.units.massBy;
        group.centre *= subject.units.lengthBy;
        group.velocity *= subject.units.velocityBy;
        group.radius *= subject.units.lengthBy;
        group.dispersion *= subject.units.velocityBy;
        return group;
    }
};

/// One row for each body.
void writeCsv(const Report& report, AtomicFile& to) {
    const ParticleSet& bodies = report.subject.bodies;
    std::vector<std::uint8_t> named(bodies.size(), 0);
    for (const BodyGroup& group : report.table.groups) named[group.label] = 1;
    std::string text = "id,group\n";
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const std::uint32_t label = report.found.labels[i];
        text += std::to_string(bodies.id[i]) + "," + (named[label] ? std::to_string(bodies.id[label]) : "-1") + "\n";
        if (i % 65536 != 0) continue;
        WorkWatch::report("rows", static_cast<std::int64_t>(i), static_cast<std::int64_t>(bodies.size()));
        to.write(std::exchange(text, {}));
    }
    to.write(text);
}

Json jsonOf(const Report& r) {
    Json json{{"bodies", r.subject.bodies.size()},
              {"backend", r.row.backend},
              {"kernel", r.row.name},
              {"linking_length", r.inFile(r.length)},
              {"mean_distance", r.inFile(r.mean)},
              {"least", r.least},
              {"groups_of_any_size", r.table.all},
              {"bodies_in_groups", r.table.bodies},
              {"checked", r.check.what},
              {"seconds", r.found.seconds},
              {"bodies_per_second", r.rate()},
              {"bytes", r.row.bytes(r.subject.bodies.size())}};
    if (r.subject.units.named())
        json["units"] = {
            {"length", r.subject.units.length}, {"velocity", r.subject.units.velocity}, {"mass", r.subject.units.mass}};
    for (const MethodFigure& figure : r.found.figures) json["figures"][std::string(figure.name)] = figure.value;
    json["groups"] = Json::array();
    for (const BodyGroup& own : r.table.groups) {
        const BodyGroup g = r.shown(own);
        json["groups"].push_back({{"group", g.label},
                                  {"members", g.members},
                                  {"mass", g.mass},
                                  {"centre", {g.centre.x, g.centre.y, g.centre.z}},
                                  {"velocity", {g.velocity.x, g.velocity.y, g.velocity.z}},
                                  {"radius", g.radius},
                                  {"dispersion", g.dispersion}});
    }
    return json;
}

void print(const Report& r, std::size_t rows, std::FILE* to) {
    const FileUnits& units = r.subject.units;
    const std::string length = units.named() ? " " + units.length : "";
    std::fprintf(
        to, "%s: %s bodies; friends are at most %s%s apart, %s mean distances of %s%s\n", printable(r.subject.name).c_str(),
        grouped(r.subject.bodies.size()).text, shortNumber(r.inFile(r.length)).text, length.c_str(),
        r.mean > 0 ? shortNumber(r.length / r.mean).text : "no", shortNumber(r.inFile(r.mean)).text, length.c_str());
    std::fprintf(to, "%s %s of at least %s bodies, with %s of all; %s of any size, single bodies included\n",
                 grouped(r.table.groups.size()).text, r.table.groups.size() == 1 ? "group" : "groups", grouped(r.least).text,
                 grouped(r.table.bodies).text, grouped(r.table.all).text);
    std::fprintf(to, "%s on %s: checked against %s; %s ms, %s bodies/s; %sB of memory\n", std::string(r.row.name).c_str(),
                 std::string(r.row.backend).c_str(), r.check.what.c_str(), milliseconds(1e3 * r.found.seconds).text,
                 withPrefix(r.rate()).text, withPrefix(r.row.bytes(r.subject.bodies.size())).text);
    for (const MethodFigure& figure : r.found.figures)
        std::fprintf(to, "%s%s %s", &figure == r.found.figures.data() ? "" : ", ", std::string(figure.name).c_str(),
                     shortNumber(figure.value).text);
    if (!r.found.figures.empty()) std::fputc('\n', to);
    if (r.table.groups.empty() || rows == 0) return;
    const auto head = [&](const char* what, const std::string& unit) {
        return std::string(what) + (units.named() ? " [" + unit + "]" : "");
    };
    std::fprintf(to, "\n%10s %10s %12s  %-35s  %-35s %14s %18s\n", "group", "members", head("mass", units.mass).c_str(),
                 head("centre", units.length).c_str(), head("velocity", units.velocity).c_str(),
                 head("radius", units.length).c_str(), head("dispersion", units.velocity).c_str());
    const std::size_t shown = std::min(rows, r.table.groups.size());
    for (std::size_t k = 0; k < shown; ++k) {
        const BodyGroup g = r.shown(r.table.groups[k]);
        std::fprintf(to, "%10u %10s %12.5g  %11.4g %11.4g %11.4g  %11.4g %11.4g %11.4g %14.4g %18.4g\n", g.label,
                     grouped(g.members).text, g.mass, g.centre.x, g.centre.y, g.centre.z, g.velocity.x, g.velocity.y,
                     g.velocity.z, g.radius, g.dispersion);
    }
    if (shown < r.table.groups.size())
        std::fprintf(to, "and %s smaller ones; --rows shows more, --json all\n",
                     grouped(r.table.groups.size() - shown).text);
}

struct GroupsCommand : Subcommand {
    Linking linking;
    std::string length;      ///< with its unit; empty: `linking` says how far
    std::size_t least = 10;  ///< bodies of a group that is shown
    std::string kernel;      ///< of groupRows(); empty: the fastest of the backend
    std::size_t rows = 12;   ///< of the printed table
    std::string output;
    bool json = false;

    void add(OptionRows& options) override;
    void check() override {
        checkStart(*this, {});
        refuseIdleDevice(start);
    }
    int run() override;
};

void GroupsCommand::add(OptionRows& options) {
    addSceneOrFile(options, "plummer");
    options.of({"run.bodies", "run.seed", "run.scene_version", "run.backend", "run.device", "run.threads"});
    addSet(options);
    options
        .of("groups.linking", "--linking", "NUMBER", linking.mean,
            "friends are at most so far apart, in mean distances (V/N)^(1/3) of the box that holds all bodies [0.2]")
        .excludes("--linking-length");
    options.value(
        "--linking-length", "LENGTH",
        [this](auto& name, auto& text) {
            length = text;
            if (isQuantity(text)) return requireDimension(name, text, "L");
            linking.length = parsePositive(name, text);
            length.clear();
        },
        "the same as a length, 5kpc or a number in the file's unit, instead of --linking");
    options.of("groups.least", "--least", "COUNT", least,
               "bodies of a group at least; in smaller ones they have the group -1 [10]");
    const std::string names =
        joined(groupRows(), [](const GroupRow& row) { return std::string(row.backend) + " " + std::string(row.name); });
    options.rowOf("--kernel", "NAME", kernel, groupRowNamed,
                  "how groups are found, see docs/groups.md: " + names + " [the last of the backend]");
    options.whole("--rows", "COUNT", rows, 0, kMaxBodies, "of the printed table, the largest groups [12]")
        .excludes("--json", "--rows does nothing: --json has all groups");
    options.output("-o,--output", "FILE", output,
                   "a row a body: id,group, where a group has the id of its first body; '-' is standard output");
    options.flag("--json", json, "as JSON, with all groups");
}

int GroupsCommand::run() {
    const RunRequest& wanted = start.simulation;
    BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const GroupRow& row = groupRow(chosen.row->name, kernel);
    notify(chosen.why);
    OutputSet outputs;  // a missing folder is found at once
    AtomicFile* const out = output.empty() ? nullptr : &outputs.add(output);

    const InterruptWatch watch;
    Subject subject = subjectOf(start, *chosen.row);
    linking.length /= subject.units.lengthBy;
    constexpr const char* kLength = "--linking-length";
    if (!length.empty()) linking.length = quantity(kLength, length, "L", shownUnits(subject.units), subject.name);
    if (!length.empty() && !(linking.length > 0))
        throw UsageError(std::string(kLength) + " '" + length + "': expected a length above 0");
    const double reach = linkingLength(subject.bodies, linking);
    FoundGroups found = findGroups(row, subject.bodies, reach, wanted.backendOptions);
    // The first search loads code and wakes threads. A short search is repeated twice, and the fastest counts.
    constexpr double kShort = 0.2;  // [s]
    for (int repeat = 0; repeat < 2 && found.seconds < kShort; ++repeat) {
        InterruptWatch::check();
        FoundGroups again = findGroups(row, subject.bodies, reach, wanted.backendOptions);
        if (again.labels != found.labels)
            throw Error(ExitCode::checkFailed, std::string(row.name) + " gave other labels when it ran again");
        if (again.seconds < found.seconds) found = std::move(again);
    }
    const GroupCheck verdict = checkGroups(subject.bodies, reach, found.labels);
    if (!verdict.failure.empty()) {
        notify(formatted("%s on %s is wrong, and nothing was written: %s", std::string(row.name).c_str(),
                         std::string(row.backend).c_str(), verdict.failure.c_str()));
        return static_cast<int>(ExitCode::checkFailed);
    }
    const GroupTable table = groupTable(subject.bodies, found.labels, least);
    const Report report{subject, row, found, table, verdict, reach, meanDistance(subject.bodies), least};
    InterruptWatch::check();
    if (out) {
        writeCsv(report, *out);
        outputs.commit();
    }
    std::FILE* const to = output == "-" ? stderr : stdout;
    if (json)
        std::fprintf(to, "%s\n", jsonOf(report).dump(2, ' ', true, Json::error_handler_t::replace).c_str());
    else
        print(report, rows, to);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

constinit const CommandRow kGroupsCommand{
    "groups", "find groups of bodies, friends of friends, in a scene or a file",
    "  gravlab groups galaxy -n 64k --linking 0.2\n"
    "  gravlab groups stars.csv --units cluster --linking-length 0.05 --least 20 -o groups.csv\n"
    "  gravlab groups plummer -n 1M --backend cuda --kernel bfs-device\n",
    made<GroupsCommand>};

}  // namespace gravlab
