// gravlab: block=128 unroll=8 from=tiled
// EXERCISE: right, but the threads of a warp read bodies that lie far apart. Make the reads coalesced: neighbours read
// neighbours.

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
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float4 self = bodies[i];
    double x = 0, y = 0, z = 0;
    // Each thread begins at a place of its own and goes round: at any time the 32 threads of a warp read 32 places that lie
    // n / 32 bodies apart.
    int place = (int)((long long)n * (threadIdx.x % 32) / 32);
    for (int done = 0; done < n; done += 64) {
        float3 part = {0, 0, 0};
        int count = min(64, n - done);
#pragma unroll UNROLL
        for (int k = 0; k < count; ++k) {
            add_pull(part, self, bodies[place], softening_squared);
            place = place + 1 < n ? place + 1 : 0;
        }
        x += part.x;
        y += part.y;
        z += part.z;
    }
    accelerations[i] = make_float4(x, y, z, 0);
}
