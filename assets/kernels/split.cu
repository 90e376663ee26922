// gravlab: block=128 split=4 unroll=8 from=tiled-atomics
// SPLIT blocks share the sources of the same bodies and add what they find by atomics: few bodies fill the device.

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
    float4 self = bodies[min(i, n - 1)];
    double x = 0, y = 0, z = 0;
    int range = (n + SPLIT - 1) / SPLIT, end = min((blockIdx.y + 1) * range, n);
    for (int base = blockIdx.y * range; base < end; base += BLOCK) {
        int mine = base + threadIdx.x;
        tile[threadIdx.x] = mine < end ? bodies[mine] : make_float4(0, 0, 0, 0);
        __syncthreads();
        float3 part = {0, 0, 0};
#pragma unroll UNROLL
        for (int j = 0; j < BLOCK; ++j) add_pull(part, self, tile[j], softening_squared);
        x += part.x;
        y += part.y;
        z += part.z;
        __syncthreads();
    }
    if (i >= n) return;
    // With a split the accelerations are 0 when the launch begins.
    atomicAdd(&accelerations[i].x, (float)x);
    atomicAdd(&accelerations[i].y, (float)y);
    atomicAdd(&accelerations[i].z, (float)z);
}
