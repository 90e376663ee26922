// Rows of a backend that are added to those of its table: methods for terms beside the pair law, and kernels of tests and
// of users. Rule: kinds are words, so a new kind adds its own rows and changes no file of the backend.
#pragma once
#include "sim/api/method.h"
#include "sim/backends/kernel.h"
#include "sim/forces/force_term.h"

#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gravlab {

/// The public row of a kernel that a program adds.
template <template <class> class Kernel>
KernelRow addedRow(std::string_view backend, const TermKernelRow<Kernel>& row) {
    KernelRow made{.backend = backend, .term = row.term, .name = row.name, .idea = row.idea};
    made.usual.block = row.block;
    if (row.blocks.empty()) return made;
    made.blockSizes = row.blocks;
    made.blocks = {row.blocks.front(), row.blocks.back()};
    return made;
}

/// Rows with a KernelRow `row` and its code; those of a kind are in ladder order, the best last. Any thread may add a row
/// while others search.
template <class Row>
class RowTable {
public:
    /// Adds the row, and its kernel row to those of lists, panels and files. Throws std::logic_error for a row that exists
    /// already.
    static bool add(const Row& row) {
        addKernel(row.row);
        const std::lock_guard hold(lock());
        rows().push_back(row);
        return true;
    }
    /// The row of that name that was added for a kind of term; null where there is none.
    static const Row* find(std::string_view term, std::string_view name) {
        const std::lock_guard hold(lock());
        for (const Row& row : rows())
            if (row.row.term == term && row.row.name == name) return &row;
        return nullptr;
    }
    /// The code of the row that termKernel() finds. Throws UsageError as it does.
    static const Row& code(std::string_view backend, std::string_view kind, const std::optional<std::string>& name) {
        const KernelRow& wanted = termKernel(backend, kind, name);
        if (const Row* row = find(kind, wanted.name)) return *row;
        throw std::logic_error("the kernel '" + std::string(wanted.name) + "' has no code");
    }

private:
    static std::mutex& lock() {
        static std::mutex one;
        return one;
    }
    /// A deque, so that references stay valid.
    static std::deque<Row>& rows() {
        static std::deque<Row> all;
        return all;
    }
};

}  // namespace gravlab
