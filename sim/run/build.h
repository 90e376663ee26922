// Third stage of a change to a run: a backend that holds the bodies of a plan.
#pragma once
#include "sim/run/judge.h"

#include <memory>

namespace gravlab {

/// A plan and the backend that executes it.
struct BuiltRun {
    Plan plan;
    std::unique_ptr<Backend> backend{};  ///< null: the running backend executes the plan
};

/// Makes a backend where the plan needs another one, and changes `running` in place where it does not. All or nothing: on an
/// exception `running` keeps its former settings.
BuiltRun build(Plan plan, Backend* running);

}  // namespace gravlab
