// Room for the nodes of a tree on a device: the declared room is enough for leaves of that many bodies. Nodes are counted
// from keys in two ways: cube by cube, and body by body, like the device.
#include "sim/backends/cpu/tree/octree.h"
#include "sim/backends/cuda/methods/tree_limits.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/deep_clusters.h"
#include "tests/rounded_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gravlab::cpu {
namespace {

using namespace testing_support;

std::vector<std::uint64_t> keysOf(const ParticleSet& bodies) {
    const RoundedBodies arrays(bodies);
    ThreadPool pool(2);
    Octree tree(bodies.size());
    tree.build(TreeBodies<float>{arrays.view().axis, arrays.view().source}, treeKernels(simdTargets().front()), pool);
    std::vector<std::uint64_t> keys;
    for (std::size_t place = 0; place < bodies.size(); ++place) keys.push_back(tree.keyAt(place));
    return keys;
}

std::size_t nodesOfCube(const std::vector<std::uint64_t>& keys, std::size_t first, std::size_t end, int level,
                        std::size_t leaf) {
    if (end - first <= leaf || level == kTreeLevels) return 1;
    std::size_t nodes = 1;
    for (std::size_t begin = first; begin < end;) {
        std::size_t next = begin + 1;
        while (next < end && commonLevels(keys[begin], keys[next]) > level) ++next;
        nodes += nodesOfCube(keys, begin, next, level + 1, leaf);
        begin = next;
    }
    return nodes;
}

std::size_t nodesByBodies(const std::vector<std::uint64_t>& keys, std::size_t leaf) {
    std::size_t nodes = 0;
    for (std::size_t place = 0; place < keys.size(); ++place) {
        int deep = -1;
        for (std::size_t from = place < leaf ? 0 : place - leaf; from <= place && from + leaf < keys.size(); ++from)
            deep = std::max(deep, commonLevels(keys[from], keys[from + leaf]));
        const int first = place == 0 ? 0 : commonLevels(keys[place - 1], keys[place]) + 1;
        nodes += static_cast<std::size_t>(std::max(first, std::min(deep + 1, kTreeLevels) + 1) - first);
    }
    return nodes;
}

/// Groups of 32 targets in a cube, cut by keys.
std::size_t groupsOfCube(const std::vector<std::uint64_t>& keys, std::size_t first, std::size_t end, int level) {
    std::size_t groups = 0;
    const auto count = [&](std::uint32_t, std::uint32_t bodies) { groups += groupsOfRun(bodies, 32); };
    if (end - first <= kTreeRun)
        count(0, static_cast<std::uint32_t>(end - first));
    else
        cutCube(
            static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), level,
            [&](std::uint32_t place) { return keys[place]; }, count,
            [&](std::uint32_t from, std::uint32_t to) { groups += groupsOfCube(keys, from, to, level + 1); });
    return groups;
}

TEST(TreeRoom, isEnoughForLeavesOfThatManyBodies) {
    const std::pair<const char*, ParticleSet> cases[] = {
        {"clusters", deepClusters(8, 0)},  {"clusters and more", deepClusters(6, 5)},
        {"chains", deepChains(5, 14, 65)}, {"chains of wide leaves", deepChains(4, 13, 257)},
        {"uneven", unevenBodies(20000)},   {"few", unevenBodies(17)},
        {"one", unevenBodies(1)},          {"plummer", sceneNamed("plummer").build({.bodies = 20000, .seed = 1})}};
    for (const auto& [name, bodies] : cases) {
        const std::vector<std::uint64_t> keys = keysOf(bodies);
        for (const std::size_t leaf : {std::size_t{kTreeLeaf}, std::size_t{64}, std::size_t{cuda::kWidestLeaf}}) {
            const std::size_t nodes = nodesOfCube(keys, 0, keys.size(), 0, leaf);
            EXPECT_EQ(nodesByBodies(keys, leaf), nodes) << name << ' ' << leaf;
            EXPECT_LE(nodes, mostTreeNodes(keys.size(), leaf)) << name << ' ' << leaf;
        }
        EXPECT_LE(groupsOfCube(keys, 0, keys.size(), 0), cuda::treeGroupRoom(keys.size(), 0)) << name;
        EXPECT_LE(groupsOfCube(keys, 0, keys.size(), 0), cuda::treeGroupRoom(keys.size(), keys.size())) << name;
    }
    // The chains have their purpose: only the widest leaves fit where clusters fit narrower ones.
    const std::vector<std::uint64_t> chains = keysOf(deepChains(4, 14, 65)), clusters = keysOf(deepClusters(8, 3));
    EXPECT_GT(nodesOfCube(chains, 0, chains.size(), 0, 64), mostTreeNodes(chains.size(), cuda::kWidestLeaf));
    EXPECT_GT(nodesOfCube(clusters, 0, clusters.size(), 0, kTreeLeaf), mostTreeNodes(clusters.size(), cuda::kWidestLeaf));
    EXPECT_LE(nodesOfCube(clusters, 0, clusters.size(), 0, 64), mostTreeNodes(clusters.size(), cuda::kWidestLeaf));
}

TEST(TreeRoom, isThatOfTheWorstTreeForFewBodiesAndOfTheWidestLeavesForMany) {
    EXPECT_EQ(cuda::kWiderLeaves[std::size(cuda::kWiderLeaves) - 1], cuda::kWidestLeaf);
    for (const std::size_t bodies : {1, 17, 65536, 1048575}) EXPECT_EQ(cuda::treeNodeRoom(bodies), mostTreeNodes(bodies));
    for (const std::size_t bodies : {1048576, 2097152, 10485760, 104857600, 2147483647}) {
        EXPECT_GE(cuda::treeNodeRoom(bodies), mostTreeNodes(bodies, cuda::kWidestLeaf)) << bodies;
        EXPECT_LT(cuda::treeNodeRoom(bodies), mostTreeNodes(bodies)) << bodies;
        EXPECT_LT(cuda::treeGroupRoom(bodies, bodies), bodies * 3 / 5) << bodies;
        EXPECT_NEAR(static_cast<double>(cuda::treeNodeRoom(bodies)) / static_cast<double>(bodies),
                    bodies < std::size_t{1} << 28 ? 0.7 : 0.43, 1e-6)
            << bodies;
    }
}

}  // namespace
}  // namespace gravlab::cpu
