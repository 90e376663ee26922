// What a backend has to compute kinds of terms beside the pair law. Rule: kinds are words, so that whoever brings a kind
// brings its rows, and no file of the backend changes.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/forces/force_term.h"

#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gravlab {

/// Rows with a KernelRow `row` and the code that it stands for; of a kind in ladder order, the best last. Filled before
/// main(), or before the first backend is made.
template <class Row>
class TermTable {
public:
    /// Its kernel row joins those that lists, panels and files know. Throws std::logic_error for a row that is there
    /// already.
    static bool add(const Row& row) {
        addKernel(row.row);
        rows().push_back(row);
        return true;
    }
    /// The code of the row that termKernel() finds. Throws UsageError as it does.
    static const Row& find(std::string_view backend, std::string_view kind, const std::optional<std::string>& name) {
        const KernelRow& wanted = termKernel(backend, kind, name);
        for (const Row& row : rows())
            if (row.row.term == kind && row.row.name == wanted.name) return row;
        throw std::logic_error("the kernel '" + std::string(wanted.name) + "' has no code");
    }

private:
    static std::deque<Row>& rows() {
        static std::deque<Row> all;
        return all;
    }
};

}  // namespace gravlab
