// gravlab: block=128 bodies=2 unroll=8 from=tiled-registers
// A thread holds several bodies in registers, so that one read of shared memory serves them all.

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
    int first = blockIdx.x * BLOCK * BODIES + threadIdx.x;  // its bodies are BLOCK apart, so that neighbours read neighbours
    float4 self[BODIES];
    double x[BODIES] = {}, y[BODIES] = {}, z[BODIES] = {};
    for (int b = 0; b < BODIES; ++b) self[b] = bodies[min(first + b * BLOCK, n - 1)];
    for (int base = 0; base < n; base += BLOCK) {
        int mine = base + threadIdx.x;
        tile[threadIdx.x] = mine < n ? bodies[mine] : make_float4(0, 0, 0, 0);
        __syncthreads();
        float3 part[BODIES] = {};
#pragma unroll UNROLL
        for (int j = 0; j < BLOCK; ++j) {
            float4 source = tile[j];
#pragma unroll
            for (int b = 0; b < BODIES; ++b) add_pull(part[b], self[b], source, softening_squared);
        }
#pragma unroll
        for (int b = 0; b < BODIES; ++b) {
            x[b] += part[b].x;
            y[b] += part[b].y;
            z[b] += part[b].z;
        }
        __syncthreads();
    }
    for (int b = 0; b < BODIES; ++b)
        if (first + b * BLOCK < n) accelerations[first + b * BLOCK] = make_float4(x[b], y[b], z[b], 0);
}
