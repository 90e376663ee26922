// An octree over bodies in the order of their keys: nodes with moments, and the groups of targets that walk it. Every
// evaluation makes it afresh, in steps that run on the pool. Rule: the tree depends on the bodies alone.
#pragma once
#include "sim/backends/cpu/kernels/tree_kernels.h"
#include "sim/backends/cpu/tree/key_sort.h"
#include "sim/backends/force_method.h"
#include "sim/tree/nodes.h"

#include <array>
#include <span>

namespace gravlab::cpu {

/// Bodies of a state. The precision of the tree is always fp32.
template <class T>
struct TreeBodies {
    std::array<const T*, 3> axis{};
    const T* source = nullptr;
};

/// Powers of two, so that scaling rounds nothing.
struct TreeScale {
    float grid = 1;           ///< a coordinate times this is about 1 at the edge of the grid of keys
    float length = 1;         ///< a coordinate times this is about 1 for most bodies, so that no power of it overflows
    float source = 1;         ///< a source times this: their sum is at most 1
    double acceleration = 1;  ///< factor of scaled accelerations
};

/// Only construction and the first takeSigned(true) allocate; both throw std::bad_alloc.
class Octree {
public:
    explicit Octree(std::size_t bodies);

    /// Sets whether sources have either sign, from the next addMoments() on. Cells then have dipoles.
    void takeSigned(bool either);

    /// Sets the number of bodies that have mass, from the next makeKeys() on; the others are in groups and in no node.
    void takeSources(std::size_t sources) { sources_ = sources; }

    /// The steps, to be called in this order.
    template <class T>
    void makeKeys(const TreeBodies<T>& bodies, const TreeKernels& kernels, ThreadPool& pool,
                  TreeKeys curve = TreeKeys::hilbert);
    void sortPass(int number, ThreadPool& pool) { sort_.pass(number, pool); }  ///< KeySort::kPasses passes
    template <class T>
    void gather(const TreeBodies<T>& bodies, ThreadPool& pool);
    void findNodes(ThreadPool& pool);
    void linkNodes(ThreadPool& pool);
    void addMoments(ThreadPool& pool);
    void makeGroups();
    /// Runs all steps.
    template <class T>
    void build(const TreeBodies<T>& bodies, const TreeKernels& kernels, ThreadPool& pool) {
        makeKeys(bodies, kernels, pool);
        for (int pass = 0; pass < KeySort::kPasses; ++pass) sortPass(pass, pool);
        gather(bodies, pool);
        findNodes(pool);
        linkNodes(pool);
        addMoments(pool);
        makeGroups();
    }

    std::size_t bodies() const { return count_; }
    std::size_t sources() const { return sources_; }
    std::size_t nodes() const { return nodes_; }
    std::size_t leaves() const { return leaves_; }
    int levels() const { return levels_; }
    const TreeScale& scale() const { return scale_; }
    std::span<const TreeGroup> groups() const { return {groups_.data(), groupCount_}; }
    TreeView view() const;
    NodeMoments<float> moments(std::size_t node) const { return momentsOf<false>(node); }
    /// Valid once addMoments() has used signed sources.
    NodeMoments<float, true> signedMoments(std::size_t node) const { return momentsOf<true>(node); }
    int level(std::size_t node) const { return level_[node]; }
    /// Place of the first body of a node.
    std::uint32_t begin(std::size_t node) const { return begin_[node]; }
    std::uint64_t keyAt(std::size_t place) const { return sort_.data()[place].key; }

    static double bytes(std::size_t bodies, bool eitherSign);

private:
    template <class T>
    void measure(const TreeBodies<T>& bodies, ThreadPool& pool);
    std::size_t blocks() const;
    void findLevels(std::size_t first, std::size_t last);
    template <bool kSigned>
    void store(std::size_t node, const NodeMoments<float, kSigned>& moments);
    template <bool kSigned>
    NodeMoments<float, kSigned> momentsOf(std::size_t node) const;
    template <bool kSigned>
    void addAllMoments(ThreadPool& pool);
    void groupsBelow(std::uint32_t node);
    void groupsOfTargets(std::uint32_t first, std::uint32_t last, int level);
    void emit(std::uint32_t first, std::uint32_t bodies);

    std::size_t count_, sources_, capacity_;  ///< bodies; bodies in nodes, which come first in the order of places
    TreeScale scale_;
    KeySort sort_;
    RawArray<std::uint32_t> order_;
    std::array<RawArray<float>, 3> at_;
    RawArray<float> source_;
    RawArray<std::uint8_t> firstLevel_, endLevel_;  ///< levels of the nodes that begin at a place
    std::vector<std::uint32_t> starts_;  ///< [level][block]: nodes that begin there, later the number of nodes before
    struct Measured {
        double most = 0, far = 0, sources = 0;
        std::int64_t exponents = 0, counted = 0;  ///< sum and number of exponents of distances along an axis
    };
    std::vector<Measured> partial_;
    std::array<std::uint32_t, kTreeDepths + 1> levelStart_{};
    // One number per node, see TreeView.
    RawArray<float> x_, y_, z_, farthest_, weight_, weightCube_;
    RawArray<std::int32_t> first_, links_;
    RawArray<std::uint32_t> begin_;
    RawArray<std::uint8_t> level_;
    RawArray<TreeCell> cells_;
    RawArray<float> dipoles_;  ///< kDipoleStride numbers per node; empty until sources are signed
    bool signed_ = false;
    RawArray<NodeBox> boxes_;
    RawArray<TreeGroup> groups_;
    std::size_t nodes_ = 0, leaves_ = 0, groupCount_ = 0;
    int levels_ = 0;
};

/// Whether cells need first moments, see Octree::takeSigned().
inline bool signedCells(const ForceSettings& force) { return treeLaw(force) == TreeLaw::charges; }

/// The task of that row, for a tree with moments. The caller adds the outputs, the earlier |a| and its floor. An opening
/// angle of 0 is the usual one, and so is an allowed error of 0. The force must be one that cells know.
TreeWalkTask walkTask(const Octree& tree, TreeWalk walk, const ForceRequest& request);

extern template void Octree::makeKeys(const TreeBodies<float>&, const TreeKernels&, ThreadPool&, TreeKeys);
extern template void Octree::makeKeys(const TreeBodies<double>&, const TreeKernels&, ThreadPool&, TreeKeys);
extern template void Octree::gather(const TreeBodies<float>&, ThreadPool&);
extern template void Octree::gather(const TreeBodies<double>&, ThreadPool&);

}  // namespace gravlab::cpu
