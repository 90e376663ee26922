// The table in which a backend finds what computes a kind of term beside the pair law. Rule: kinds are words, so that
// whoever brings a kind brings its rows, and no file of the backend changes.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/core/error.h"
#include "sim/forces/force_term.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gravlab {

/// Rows with `kind`, `name` and `idea`, one a method; of a kind in ladder order, the best last. Filled before main(), or
/// before the first backend is made.
template <class Row>
class TermTable {
public:
    /// Throws std::logic_error for a row that is there already.
    static bool add(const Row& row) {
        if (std::ranges::any_of(rows(), [&](const Row& r) { return r.kind == row.kind && r.name == row.name; }))
            throw std::logic_error("the method '" + std::string(row.name) + "' of '" + std::string(row.kind) +
                                   "' is there already");
        rows().push_back(row);
        return true;
    }
    /// The method of that name for the kind; without one the best. Throws UsageError naming backend, kind and what there is.
    static const Row& find(std::string_view backend, std::string_view kind, const std::optional<std::string>& name) {
        const Row* best = nullptr;
        std::string known;
        for (const Row& row : rows()) {
            if (row.kind != kind) continue;
            if (row.name == name) return row;
            best = &row;
            known += (known.empty() ? "" : ", ") + std::string(row.name);
        }
        if (best && !name) return *best;
        throw UsageError(
            "the " + std::string(backend) + " backend cannot compute the force term '" + std::string(kind) +
            (best ? "' by '" + *name + "': it has " + known : "': it has no method for it; take the reference backend"));
    }

private:
    static std::deque<Row>& rows() {
        static std::deque<Row> all;
        return all;
    }
};

}  // namespace gravlab
