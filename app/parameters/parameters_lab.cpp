// Pages of the lab that need no run: a rung's text, recorded measurements, the launch calculator.
#include "app/model/recorded.h"
#include "app/parameters/parameter_rows.h"
#include "app/tables/lab_sweep.h"
#include "app/tables/occupancy.h"
#include "sim/backends/kernel.h"

namespace gravlab {
namespace {

using namespace rows;

constexpr std::string_view kInUse = "in-use";

std::vector<std::string> rungNames() {
    std::vector<std::string> names{std::string(kInUse)};
    for (const KernelRow* row : listedKernels()) names.push_back(rungName(*row));
    return names;
}

template <auto member>
constexpr auto inPlan = at<&Document::labPanel, &LabPanel::planned, member>;

void addPages(Rows& rows) {
    rows.choice(
        "lab.rung", "Text of", "kernel whose text the ladder shows, also one that cannot run here", kInUse, rungNames,
        at<&Document::labPanel, &LabPanel::rung>,
        {.names = "in-use, or BACKEND:KERNEL of 'gravlab list kernels'",
         .noun = "rung",
         .get = [](const Document& d) -> Value { return d.labPanel.rung.empty() ? std::string(kInUse) : d.labPanel.rung; },
         .set = [](Document& d, const Value& v) { d.labPanel.rung = textOf(v) == kInUse ? std::string() : textOf(v); }});
    rows.choice("lab.recorded", "Device", "device whose recorded measurements are shown", "nvidia-h200", recordedDevices,
                at<&Document::labPanel, &LabPanel::recordedOn>,
                {.noun = "device with recorded measurements", .get = [](const Document& d) -> Value {
                     const std::vector<std::string> devices = recordedDevices();
                     return !d.labPanel.recordedOn.empty() || devices.empty() ? d.labPanel.recordedOn : devices.front();
                 }});
    rows.choice("lab.recorded_figure", "Over", "what the recorded rates are shown over", "bodies", recordedFigures,
                at<&Document::labPanel, &LabPanel::recordedFigure>, {.noun = "recorded figure"});
    rows.member("lab.papers", "Papers", "rates that papers measured on their devices, beside the recorded ones", "",
                at<&Document::labPanel, &LabPanel::besidePapers>);
}

void addCalculator(Rows& rows) {
    rows.choice("calculator.gpu", "GPU", "GPU that a launch is planned for; it need not be here", "h200", gpus,
                inPlan<&OccupancyAsk::gpu>, {.offers = [](const Document& d) {
                    std::vector<SettingChoice> offers;
                    for (const GpuRow& row : gpus())
                        offers.push_back({std::string(row.name), row.title, row.name == d.labPanel.planned.gpu, {}});
                    return offers;
                }});
    rows.member("calculator.bodies", "Bodies", "N of the planned launch", "65536", inPlan<&OccupancyAsk::bodies>,
                {.bounds = {.least = 1, .most = 1e9}, .multiples = true});
    rows.member("calculator.block", "Block", "threads a block, p, of the planned launch", "128",
                inPlan<&OccupancyAsk::block>, {.bounds = {.least = 1, .most = 1 << 20}});
    rows.member("calculator.registers", "Registers", "registers a thread", "64", inPlan<&OccupancyAsk::registers>,
                {.bounds = {.least = 1, .most = 65536}});
    rows.member("calculator.bodies_per_thread", "Per thread", "targets that a thread of the planned launch holds", "1",
                inPlan<&OccupancyAsk::bodiesPerThread>, {.bounds = {.least = 1, .most = 1024}});
    rows.member("calculator.split", "Split", "parts of the sources of the planned launch", "1", inPlan<&OccupancyAsk::split>,
                {.bounds = {.least = 1, .most = 65535}});
    constexpr double kMost = 1 << 30;
    rows.member("calculator.shared", "Shared",
                "bytes of shared memory a block; auto: a tile of a body a thread, 16 bytes each", "auto",
                inPlan<&OccupancyAsk::shared>, {.bounds = {.least = 0, .most = kMost}, .specialValue = "auto"});
    rows.member("calculator.multiprocessors", "Multiprocessors", "of the GPU; auto: of the one named", "auto",
                inPlan<&OccupancyAsk::multiprocessors>, {.bounds = {.least = 1, .most = 100000}, .specialValue = "auto"});
    rows.member("calculator.warps", "Warps", "resident on a multiprocessor at most; auto: of the GPU named", "auto",
                inPlan<&OccupancyAsk::warps>, {.bounds = {.least = 1, .most = 1024}, .specialValue = "auto"});
    rows.member("calculator.resident_blocks", "Blocks", "resident on a multiprocessor at most; auto: of the GPU named",
                "auto", inPlan<&OccupancyAsk::blocks>, {.bounds = {.least = 1, .most = 1024}, .specialValue = "auto"});
    rows.member("calculator.register_file", "Register file", "registers of a multiprocessor; auto: of the GPU named", "auto",
                inPlan<&OccupancyAsk::registerFile>, {.bounds = {.least = 256, .most = kMost}, .specialValue = "auto"});
    rows.member("calculator.shared_memory", "Shared memory", "bytes of a multiprocessor; auto: of the GPU named", "auto",
                inPlan<&OccupancyAsk::sharedMemory>, {.bounds = {.least = 0, .most = kMost}, .specialValue = "auto"});
}

}  // namespace

std::vector<Parameter> labParameters() {
    Rows rows;
    addPages(rows);
    addCalculator(rows);
    return rows.take();
}

}  // namespace gravlab
