// Groups of bodies on a device: the parameters of its kernels. The functions that decide are shared with the host, see
// friends.h.
#pragma once
#include "sim/api/vectors.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/groups/friends.h"

#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kGroupThreads = 256;

/// Sums and bounds of the positions of a block's bodies.
struct FrameSums {
    double low[3], high[3], sum[3], counted, reach, far;
};

/// Flags that the threads of a search exchange between levels.
struct GroupFlags {
    std::uint32_t changed[3];    ///< a label was lowered at the level; the next level's flag is cleared meanwhile
    std::uint32_t arrived;       ///< blocks at a barrier
    std::uint32_t levels;        ///< levels until the end; 0: there are more
    unsigned long long reached;  ///< friends of the bodies that a search for depths has reached
};

struct GroupTask {
    Double4* bodies;
    std::uint32_t count;
    double length;
    int pass;  ///< pass of the frame, or level of boxes
    FrameSums* partial;
    FriendFrame* frame;
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    double* axis[3];               ///< in the order of places
    std::uint32_t *parent, *least, *label;
    FriendTree tree;
    FriendGrid* grid;
    std::uint64_t *friends, *begin;  ///< friends of each place; their prefix sums, one more at the end
    std::uint32_t *list, *mark;
    GroupFlags* flags;
    std::uint32_t level;  ///< first level of a launch
    std::uint32_t turns;  ///< most levels of a launch
    // Of a search for depths, which are in `parent` by place and in `label` by body.
    std::uint32_t from;     ///< body of depth 0
    std::uint32_t* source;  ///< place of each entry of `list`: both are the graph's edges
    std::uint64_t edges;    ///< entries of `list`; a thread of the other kernels has a place
};

}  // namespace gravlab::cuda
