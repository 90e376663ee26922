// Tables of the program as lists of choices.
#include "app/parameters/setting_choices.h"

#include "sim/backends/backend.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"

namespace gravlab {
namespace {

Reason firstOf(Reason one, Reason other) { return one.empty() ? other : one; }

}  // namespace

std::vector<SettingChoice> integratorChoices(const RunConfiguration& now, bool backendGivesWay) {
    // The reference supports everything that any other backend supports.
    const BackendRow& by = backendGivesWay ? exactBackend() : backend(now.backend);
    const Law law = now.force.law;
    std::vector<SettingChoice> rows;
    for (const Integrator& row : integrators())
        rows.push_back({std::string(row.name), row.idea, row.name == now.integrator,
                        firstOf(refusal(by, row, now.bodies), refusal(row, law))});
    return rows;
}

std::vector<SettingChoice> precisionChoices(const RunConfiguration& now) {
    ForceSettings tried = now.force;
    const Precision running = tried.precision;
    const Reason fixed = fixedPrecision(now.backend);
    std::vector<SettingChoice> rows;
    for (const PrecisionRow& row : precisions()) {
        tried.precision = row.precision;
        rows.push_back({std::string(row.name), row.idea, row.precision == running,
                        firstOf(fixed, refusal(backend(now.backend), tried))});
    }
    return rows;
}

std::vector<SettingChoice> lawChoices(const RunConfiguration& now) {
    ForceSettings tried = now.force;
    const Law running = tried.law;
    std::vector<SettingChoice> rows;
    for (const LawRow& row : laws()) {
        tried.law = row.law;
        rows.push_back({std::string(row.name), row.idea, row.law == running,
                        firstOf(refusal(backend(now.backend), tried), refusal(integrator(now.integrator), row.law))});
    }
    return rows;
}

std::vector<SettingChoice> backendChoices(const RunConfiguration& now) {
    std::vector<SettingChoice> rows;
    for (const BackendRow& row : backends())
        rows.push_back({std::string(row.name), row.idea, row.name == now.backend,
                        firstOf(row.unavailable(now.backendOptions), refusal(row, integrator(now.integrator), now.bodies))});
    return rows;
}

std::vector<SettingChoice> kernelChoices(const KernelRow& now, const ForceSettings& force, bool fixed) {
    std::vector<SettingChoice> rows{{"auto", "The backend chooses by N and device.", false, {}}};
    for (const KernelRow* row : listedKernels(now.backend, now.term))
        rows.push_back({std::string(row->name), row->idea, row->name == now.name,
                        fixed || row->byCutOff ? refusal(*row, force) : Reason()});
    for (const KernelRow& row : trapKernels())
        if (row.backend == now.backend)
            rows.push_back({std::string(row.name), row.idea, false,
                            "Wrong on purpose, so no run takes it: " + std::string(row.trap) +
                                ". The lab's sweep 'traps' "
                                "measures it."});
    return rows;
}

Reason fixedPrecision(std::string_view name) {
    return backend(name).exact ? "The " + std::string(name) + " backend is always fp64." : Reason();
}

}  // namespace gravlab
