// gravlab: block=128 unroll=8 from=tiled
// A block reads a tile of bodies into shared memory once for all its threads.

// Adds the pull of source on self. The pair of a body with itself gives exactly 0, because dx, dy and dz are 0.
__device__ void add_pull(float3& sum, float4 self, float4 source, float softening_squared) {
    float dx = source.x - self.x, dy = source.y - self.y, dz = source.z - self.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening_squared);
    float strength = source.w * inverse * inverse * inverse;
    sum.x += dx * strength;
    sum.y += dy * strength;
    sum.z += dz * strength;
}

extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    // Threads past the last body compute it once more and store nothing: all must reach every barrier.
    float4 self = bodies[min(i, n - 1)];
    double x = 0, y = 0, z = 0;
    for (int base = 0; base < n; base += BLOCK) {
        int mine = base + threadIdx.x;
        tile[threadIdx.x] = mine < n ? bodies[mine] : make_float4(0, 0, 0, 0);
        __syncthreads();  // the tile is complete
        float3 part = {0, 0, 0};
#pragma unroll UNROLL
        for (int j = 0; j < BLOCK; ++j) add_pull(part, self, tile[j], softening_squared);
        x += part.x;
        y += part.y;
        z += part.z;
        __syncthreads();  // all have read it
    }
    if (i < n) accelerations[i] = make_float4(x, y, z, 0);
}
