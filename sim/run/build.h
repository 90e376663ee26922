// Third stage of a change to a run: a backend that holds the bodies of a plan.
#pragma once
#include "sim/run/judge.h"

#include <memory>

namespace gravlab {

/// A plan and the backend that carries it out.
struct BuiltRun {
    Plan plan;
    std::unique_ptr<Backend> backend{};  ///< null: the running one took the plan
};

/// Makes a backend where the plan needs another one, and changes `running` in place where it does not. All or nothing: on an
/// exception `running` computes what it computed before.
BuiltRun build(Plan plan, Backend* running);

}  // namespace gravlab
