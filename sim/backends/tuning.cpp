// Look-up of tuned choices.
#include "sim/backends/tuning.h"

#include "sim/api/errors.h"

#include <cmath>

namespace gravlab {
namespace {

// The best launch changes slowly with N; beyond this factor the backend's own rule is as good a guess.
constexpr double kAboutBest = 1.5;

bool sameMachine(const TunedChoice& a, std::string_view backend, const std::string& device, const std::string& driver,
                 Precision precision) {
    return a.backend == backend && a.device == device && a.driver == driver && a.precision == precision;
}

}  // namespace

Tuning Tuning::with(TunedChoice choice) const {
    Tuning result = *this;
    std::erase_if(result.choices_, [&](const TunedChoice& old) {
        return old.bodies == choice.bodies && old.term == choice.term &&
               sameMachine(old, choice.backend, choice.device, choice.driver, choice.precision);
    });
    result.choices_.push_back(std::move(choice));
    return result;
}

const TunedChoice* Tuning::find(std::string_view backend, const LaunchFacts& facts, Precision precision, std::size_t bodies,
                                std::string_view term) const {
    const TunedChoice* best = nullptr;
    double nearest = std::log(kAboutBest) * (1 + 1e-9);
    for (const TunedChoice& choice : choices_) {
        if (!sameMachine(choice, backend, facts.device, facts.driver, precision) || choice.term != term ||
            choice.bodies == 0 || bodies == 0)
            continue;
        const double distance = std::abs(std::log(static_cast<double>(choice.bodies) / static_cast<double>(bodies)));
        if (distance > nearest) continue;
        nearest = distance;
        best = &choice;
    }
    return best;
}

KernelChoice tunedKernel(const Tuning* tuning, const KernelChoice& wanted, const Backend& backend, Precision precision,
                         std::size_t bodies) {
    if (!tuning || wanted != KernelChoice{}) return wanted;
    const TunedChoice* found = tuning->find(backend.name(), backend.launchFacts(), precision, bodies);
    return found ? KernelChoice(found->kernel) : wanted;
}

std::unique_ptr<Backend> makeTuned(const BackendRow& row, const BackendOptions& options, const KernelChoice& wanted,
                                   const Tuning* tuning, Precision precision, std::size_t bodies) {
    std::unique_ptr<Backend> made = row.make(options);
    if (!tuning || wanted != KernelChoice{} || options.threads) return made;
    const LaunchFacts facts = made->launchFacts();
    const TunedChoice* found = tuning->find(made->name(), facts, precision, bodies);
    if (!found || !found->threads || *found->threads < 2 || found->threads == facts.cpuThreads) return made;
    BackendOptions tuned = options;
    tuned.threads = found->threads;
    made.reset();  // two pools of threads at once would slow each other down
    return row.make(tuned);
}

void tuneTerms(std::vector<Term>& terms, const std::function<bool(std::string_view)>& chosen, const Tuning& tuning,
               const Backend& backend, Precision precision, std::size_t bodies) {
    for (std::size_t k = 1; k < terms.size(); ++k) {
        const std::string_view kind = terms[k].what->kind();
        if (chosen(kind)) continue;
        const TunedChoice* found = tuning.find(backend.name(), backend.launchFacts(), precision, bodies, kind);
        if (!found) continue;
        try {
            const KernelRow& row = termKernel(backend.name(), kind, found->kernel.kernel);
            const LaunchConfig launch = checkedLaunch(row, found->kernel.launch);
            terms[k].how.kernel = std::string(row.name);
            terms[k].how.launch = launch;
        } catch (const UsageError&) {  // found by another build
        }
    }
}

void configureTuned(Backend& backend, const ForceSettings& force, const KernelChoice& wanted, const Tuning* tuning) {
    backend.configure(force, wanted);
    // Searches use unequal masses under gravity. For equal ones, or a law that ends, the backend knows a faster row.
    if (backend.activeKernel().equalMasses || backend.activeKernel().byCutOff) return;
    const KernelChoice chosen = tunedKernel(tuning, wanted, backend, force.precision, backend.size());
    if (chosen == wanted) return;
    try {
        backend.configure(force, chosen);
    } catch (const UsageError&) {
    } catch (const OutOfMemoryError&) {
    }
}

}  // namespace gravlab
