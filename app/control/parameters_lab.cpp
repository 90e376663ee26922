// What the lab's pages show that ask nothing of the run: a rung's text, recorded measurements, the launch calculator.
#include "app/control/parameter_rows.h"
#include "app/model/document.h"
#include "app/model/recorded.h"
#include "app/tables/lab_sweep.h"
#include "app/tables/occupancy.h"
#include "sim/backends/kernel.h"

#include <algorithm>
#include <limits>

namespace gravlab {
namespace {

using namespace rows;

constexpr std::string_view kInUse = "in-use";

std::vector<std::string> rungNames() {
    std::vector<std::string> names{std::string(kInUse)};
    for (const KernelRow* row : listedKernels()) names.push_back(rungName(*row));
    return names;
}

void addPages(std::vector<Parameter>& all) {
    all.push_back(
        {.path = "lab.rung",
         .label = "Text of",
         .idea = "kernel whose text the ladder shows, also one that cannot run here",
         .kind = Kind::choice,
         .usual = kInUse,
         .choices = rungNames,
         .names = "in-use, or BACKEND:KERNEL of 'gravlab list kernels'",
         .noun = "rung",
         .get = [](const Document& d) -> Value { return d.labPanel.rung.empty() ? std::string(kInUse) : d.labPanel.rung; },
         .set = [](Document& d, const Value& v) { d.labPanel.rung = textOf(v) == kInUse ? std::string() : textOf(v); }});
    all.push_back({.path = "lab.recorded",
                   .label = "Device",
                   .idea = "device whose recorded measurements are shown",
                   .kind = Kind::choice,
                   .usual = "nvidia-h200",
                   .choices = recordedDevices,
                   .noun = "device with recorded measurements",
                   .get = [](const Document& d) -> Value {
                       const std::vector<std::string> devices = recordedDevices();
                       return !d.labPanel.recordedOn.empty() || devices.empty() ? d.labPanel.recordedOn : devices.front();
                   },
                   .set = [](Document& d, const Value& v) { d.labPanel.recordedOn = textOf(v); }});
    all.push_back({.path = "lab.recorded_figure",
                   .label = "Over",
                   .idea = "what the recorded rates are shown over",
                   .kind = Kind::choice,
                   .usual = "bodies",
                   .choices =
                       [] {
                           const auto names = recordedFigures();
                           return std::vector<std::string>(names.begin(), names.end());
                       },
                   .noun = "recorded figure",
                   .get = [](const Document& d) -> Value { return d.labPanel.recordedFigure; },
                   .set = [](Document& d, const Value& v) { d.labPanel.recordedFigure = textOf(v); }});
}

void addCalculator(std::vector<Parameter>& all) {
    all.push_back({.path = "calculator.gpu",
                   .label = "GPU",
                   .idea = "GPU that a launch is planned for; it need not be here",
                   .kind = Kind::choice,
                   .usual = "h200",
                   .choices = [] { return namesOf(gpus()); },
                   .offers =
                       [](const Document& d) {
                           std::vector<SettingChoice> offers;
                           for (const GpuRow& row : gpus())
                               offers.push_back({std::string(row.name), row.title, row.name == d.labPanel.planned.gpu, {}});
                           return offers;
                       },
                   .get = [](const Document& d) -> Value { return d.labPanel.planned.gpu; },
                   .set = [](Document& d, const Value& v) { d.labPanel.planned.gpu = textOf(v); }});
    all.push_back(withMember(
        {.path = "calculator.bodies",
         .label = "Bodies",
         .idea = "N of the planned launch",
         .kind = Kind::integer,
         .bounds = {.least = 1, .most = 1e9},
         .usual = "65536",
         .multiples = true},
        [](Document & d) -> auto& { return d.labPanel.planned.bodies; }));
    const auto number = [&all](std::string path, std::string_view label, std::string_view idea, std::string_view usual,
                               double most, int OccupancyAsk::*member) {
        all.push_back(withMember(
            {.path = std::move(path),
             .label = label,
             .idea = idea,
             .kind = Kind::integer,
             .bounds = {.least = 1, .most = most},
             .usual = usual},
            [member](Document & d) -> auto& { return d.labPanel.planned.*member; }));
    };
    number("calculator.block", "Block", "threads a block, p, of the planned launch", "128", 1 << 20, &OccupancyAsk::block);
    number("calculator.registers", "Registers", "registers a thread", "64", 65536, &OccupancyAsk::registers);
    number("calculator.bodies_per_thread", "Per thread", "targets that a thread of the planned launch holds", "1", 1024,
           &OccupancyAsk::bodiesPerThread);
    number("calculator.split", "Split", "parts of the sources of the planned launch", "1", 65535, &OccupancyAsk::split);
    const auto limit = [&all](std::string path, std::string_view label, std::string_view idea, double least, double most,
                              std::optional<int> OccupancyAsk::*member) {
        all.push_back({.path = std::move(path),
                       .label = label,
                       .idea = idea,
                       .kind = Kind::integer,
                       .bounds = {.least = least, .most = most},
                       .usual = "auto",
                       .otherwise = "auto",
                       .get = [member](const Document& d) -> Value {
                           const std::optional<int>& held = d.labPanel.planned.*member;
                           return held ? Value(std::int64_t{*held}) : Value(std::string("auto"));
                       },
                       .set =
                           [member](Document& d, const Value& value) {
                               std::optional<int>& held = d.labPanel.planned.*member;
                               held.reset();
                               if (!isAuto(value)) held = static_cast<int>(std::get<std::int64_t>(value));
                           }});
    };
    constexpr double kMost = 1 << 30;
    limit("calculator.shared", "Shared", "bytes of shared memory a block; auto: a tile of a body a thread, 16 bytes each", 0,
          kMost, &OccupancyAsk::shared);
    limit("calculator.multiprocessors", "Multiprocessors", "of the GPU; auto: of the one named", 1, 100000,
          &OccupancyAsk::multiprocessors);
    limit("calculator.warps", "Warps", "resident on a multiprocessor at most; auto: of the GPU named", 1, 1024,
          &OccupancyAsk::warps);
    limit("calculator.resident_blocks", "Blocks", "resident on a multiprocessor at most; auto: of the GPU named", 1, 1024,
          &OccupancyAsk::blocks);
    limit("calculator.register_file", "Register file", "registers of a multiprocessor; auto: of the GPU named", 256, kMost,
          &OccupancyAsk::registerFile);
    limit("calculator.shared_memory", "Shared memory", "bytes of a multiprocessor; auto: of the GPU named", 0, kMost,
          &OccupancyAsk::sharedMemory);
}

}  // namespace

std::vector<Parameter> labParameters() {
    std::vector<Parameter> all;
    addPages(all);
    addCalculator(all);
    return all;
}

}  // namespace gravlab
