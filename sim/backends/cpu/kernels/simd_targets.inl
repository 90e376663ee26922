// The instruction sets for which Highway compiles a file, best first: set, namespace and names. Those below the build's own
// flags are not among them.
#if HWY_TARGETS & HWY_AVX3
GRAVLAB_SIMD_TARGET(HWY_AVX3, N_AVX3, "avx512", "AVX-512")
#endif
#if HWY_TARGETS & HWY_AVX2
GRAVLAB_SIMD_TARGET(HWY_AVX2, N_AVX2, "avx2", "AVX2")
#endif
#if HWY_TARGETS & HWY_SSE4
GRAVLAB_SIMD_TARGET(HWY_SSE4, N_SSE4, "sse4", "SSE4")
#endif
#if HWY_TARGETS & HWY_NEON
GRAVLAB_SIMD_TARGET(HWY_NEON, N_NEON, "neon", "NEON")
#endif
#if HWY_TARGETS & HWY_SCALAR
GRAVLAB_SIMD_TARGET(HWY_SCALAR, N_SCALAR, "scalar", "scalar")
#endif
#undef GRAVLAB_SIMD_TARGET
