// gravlab: block=128 unroll=8 from=global
// One thread a body: it reads all sources from global memory, 16 bytes at a time.

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
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 self = bodies[i];
    double x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += 64) {
        // 64 pulls in single precision, their sum in double: a long sum in single precision forgets the small ones.
        float3 part = {0, 0, 0};
        int end = min(first + 64, n);
#pragma unroll UNROLL
        for (int j = first; j < end; ++j) add_pull(part, self, bodies[j], softening_squared);
        x += part.x;
        y += part.y;
        z += part.z;
    }
    accelerations[i] = make_float4(x, y, z, 0);
}
