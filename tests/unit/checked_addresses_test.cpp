// Users' kernels with a test before each access: the tests, the refusals, and their results. tests/gpu/own_kernel_test.cpp
// proves the results on a GPU.
#include "app/tables/own_kernel.h"
#include "sim/own/checked_functions.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A module with one entry, at line 7 of its text.
std::string ptxOf(const std::string& body, const std::string& before = {}) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + before +
           "\n.visible .entry force(\n\t.param .u64 force_param_0\n)\n{\n"
           "\t.reg .pred %p<4>;\n\t.reg .b32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<9>;\n\t.loc\t1 7 3\n" +
           body + "\n\tret;\n}\n\t.file\t1 \"/some/where/my.cu\"\n";
}

CheckedCode checkedOf(const std::string& body, const std::string& before = {}, std::size_t shared = 0) {
    return checkedAddresses(ptxOf(body, before), {.block = 128, .shared = shared, .file = "my.cu"});
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
    return count;
}

/// The text between the begin of the entry's body and a statement of it.
std::string beforeOf(const CheckedCode& code, const std::string& statement) {
    const std::size_t begin = code.ptx.find(".loc"), end = code.ptx.find(statement, begin);
    EXPECT_NE(end, std::string::npos) << statement << " is gone from\n" << code.ptx;
    return end == std::string::npos ? std::string() : code.ptx.substr(begin, end - begin);
}

/// The encoding of a test: bytes, alignment - 1, verb (0 reads, 1 stores, 2 changes), line.
std::string toldAs(unsigned bytes, unsigned aligned, unsigned verb, int line = 7) {
    return "], " +
           std::to_string(bytes | (aligned - 1) << 8 | verb << 16 | std::uint64_t{static_cast<unsigned>(line)} << 32) + ";";
}

TEST(CheckedAddresses, everyKindOfAccessIsAskedAbout) {
    struct Row {
        const char *statement, *asked;
        unsigned bytes, verb;
        const char* address = "add.s64 %gravlab_address, %rd1, 0;";
    };
    const Row rows[] = {
        {"ld.global.f32 %f1, [%rd1];", "global", 4, 0},
        {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+-32];", "global", 16, 0, "add.s64 %gravlab_address, %rd1, -32;"},
        {"ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {%r1, %r2}, [%rd1+8];", "global", 8, 0,
         "add.s64 %gravlab_address, %rd1, 8;"},
        {"ld.volatile.global.u8 %r1, [%rd1];", "global", 1, 0},
        {"ld.acquire.gpu.global.b64 %rd2, [%rd1];", "global", 8, 0},
        {"ldu.global.u16 %r1, [%rd1];", "global", 2, 0},
        {"ld.f32 %f1, [%rd1];", "generic", 4, 0},
        {"st.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};", "generic", 16, 1},
        {"st.global.cs.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};", "global", 16, 1, "add.s64 %gravlab_address, %rd1, 16;"},
        {"st.shared.f32 [%r1+4], %f1;", "shared", 4, 1, "add.s32 %gravlab_low, %r1, 4;"},
        {"ld.shared.v2.f32 {%f1, %f2}, [%rd1];", "shared", 8, 0},
        {"ld.shared::cta.f32 %f1, [tile+12];", "shared", 4, 0, "mov.u64 %gravlab_address, tile;"},
        {"ld.const.f32 %f1, [%rd1];", "constant", 4, 0},
        {"ld.local.f32 %f1, [%rd1];", "local", 4, 0},
        {"st.local.v2.b64 [%rd1], {%rd2, %rd3};", "local", 16, 1},
        {"atom.global.add.f32 %f1, [%rd1], %f2;", "global", 4, 2},
        {"atom.shared.cas.b64 %rd2, [%rd1], %rd3, %rd4;", "shared", 8, 2},
        {"atom.add.noftz.f16x2 %r1, [%rd1], %r2;", "generic", 4, 2},
        {"red.relaxed.gpu.global.add.f64 [%rd1], %rd2;", "global", 8, 2},
        {"prefetch.global.L2 [%rd1];", "global", 1, 0},
        {"st.global.u32 [16], %r1;", "global", 4, 1, "mov.u64 %gravlab_address, 16;"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.statement);
        const CheckedCode code = checkedOf(row.statement, ".shared .align 16 .b8 tile[64];\n");
        ASSERT_FALSE(code.ptx.empty()) << code.refusal;
        EXPECT_EQ(code.accesses, 1);
        const std::string before = beforeOf(code, row.statement);
        EXPECT_THAT(before, HasSubstr(row.address));
        EXPECT_THAT(before, HasSubstr(toldAs(row.bytes, row.bytes, row.verb)));
        EXPECT_THAT(before, HasSubstr("\tcall gravlab_checked_" + std::string(row.asked) + ", (gravlab_p0, gravlab_p1);"));
    }
}

TEST(CheckedAddresses, whatTouchesNoMemoryIsLeftAlone) {
    const char* const statements[] = {
        "ld.param.u64 %rd1, [force_param_0];",
        "add.s64 %rd1, %rd2, 4;",
        "bar.sync 0;",
        "barrier.sync.aligned 3, 64;",
        "bar.warp.sync -1;",
        "bar.red.popc.u32 %r1, 0, %p1;",
        "cp.async.wait_all;",
        "cvta.to.global.u64 %rd1, %rd2;",
        "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
        "mov.b64 %rd1, {%r1, %r2};",
        "@%p1 exit;",
    };
    for (const char* statement : statements) {
        SCOPED_TRACE(statement);
        const CheckedCode code = checkedOf(statement);
        ASSERT_FALSE(code.ptx.empty()) << code.refusal;
        EXPECT_EQ(code.accesses, 0);
        EXPECT_THAT(beforeOf(code, statement), Not(HasSubstr("call gravlab")));
    }
}

TEST(CheckedAddresses, aGuardIsTheGuardOfItsQuestion) {
    const CheckedCode code = checkedOf("@!%p2 st.global.f32 [%rd1], %f1;\n@%p1 trap;");
    EXPECT_THAT(beforeOf(code, "@!%p2 st.global"), HasSubstr("@!%p2 call gravlab_checked_global, "));
    EXPECT_THAT(beforeOf(code, "@%p1 trap"), HasSubstr("@%p1 call gravlab_checked_found, "));
}

TEST(CheckedAddresses, anAsynchronousCopyIsTwoQuestions) {
    const CheckedCode code = checkedOf("cp.async.cg.shared.global [%r1], [%rd1+64], 16;");
    EXPECT_EQ(code.accesses, 2) << code.refusal;
    const std::string before = beforeOf(code, "cp.async.cg");
    EXPECT_THAT(before, HasSubstr(toldAs(16, 16, 1)));
    EXPECT_THAT(before, HasSubstr(toldAs(16, 16, 0)));
    EXPECT_LT(before.find("call gravlab_checked_shared"), before.find("call gravlab_checked_global"));
    // An access that reads fewer bytes than it stores is tested for its read.
    const std::string part = beforeOf(checkedOf("cp.async.ca.shared.global [%r1], [%rd1], 8, %r2;"), "cp.async.ca");
    EXPECT_THAT(part, HasSubstr("min.u32 %gravlab_low, %r2, 8;"));
    EXPECT_THAT(part, HasSubstr("or.b64 %gravlab_what, %gravlab_what, " + toldAs(0, 8, 0).substr(3)));
}

TEST(CheckedAddresses, whatItDoesNotKnowIsRefusedWithItsLine) {
    struct Row {
        const char *statement, *why;
    };
    const Row rows[] = {
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2];",
         "'cp.async.bulk.shared"},
        {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [%rd1];", "'wmma.load.a"},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "'ldmatrix.sync"},
        {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}];", "'tex.1d"},
        {"ld.shared::cluster.f32 %f1, [%r1];", "'ld.shared::cluster.f32'"},
        {"st.async.shared::cluster.b32 [%r1], %r2, [%r3];", "'st.async"},
        {"mbarrier.init.shared.b64 [%r1], 4;", "'mbarrier.init"},
        {"discard.global.L2 [%rd1], 128;", "'discard"},
        {"invented %r1, %r2;", "'invented'"},
        {"ld.global.f32.f32 %f1, [%rd1];", "'ld.global.f32.f32'"},
        {"ld.global.f32 %f1, [nowhere];", "at 'nowhere'"},
        {"ld.param.f32 %f1, [%rd1];", "in a register"},
        {"cvta.param.u64 %rd1, force_param_0;", "'cvta.param"},
        {"bar.sync %r1;", "'bar.sync' with '%r1'"},
        {"bar.sync 16;", "'bar.sync' with '16'"},
        {"bar.sync 1, 160;", "'bar.sync' with '1, 160'"},
        {"call (%r1), %rd1, (%r2), prototype;", "calls through a pointer"},
        {"call.uni vprintf, (%rd1);", "calls 'vprintf', which is not in the text"},
        {"call.uni force, (%rd1);", "calls itself"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.statement);
        const CheckedCode code = checkedOf(row.statement);
        EXPECT_TRUE(code.ptx.empty());
        EXPECT_THAT(code.refusal, HasSubstr(row.why));
        EXPECT_EQ(code.line, 7);
    }
    EXPECT_THAT(checkedAddresses("", {}).refusal, HasSubstr("no entry"));
    EXPECT_THAT(checkedAddresses(".version 8.0\n.visible .entry force() { ret;", {}).refusal, HasSubstr("no complete PTX"));
    EXPECT_THAT(checkedAddresses(".version 8.0\nnonsense", {}).refusal, HasSubstr("no complete PTX"));
    EXPECT_THAT(checkedOf("", ".global .texref image;\n").refusal, HasSubstr("whose size is not known"));
}

TEST(CheckedAddresses, aCircleOfCallsIsRefusedAndALineIsNot) {
    const auto function = [](const char* name, const char* called) {
        return ".func " + std::string(name) + "\n{\n\tcall.uni " + called + ";\n\tret;\n}\n";
    };
    const std::string leaf = ".func leaf\n{\n\tret;\n}\n";
    EXPECT_FALSE(checkedOf("call.uni first;", leaf + function("second", "leaf") + function("first", "second")).ptx.empty());
    EXPECT_THAT(
        checkedOf("call.uni first;", ".func first;\n" + function("second", "first") + function("first", "second")).refusal,
        HasSubstr("calls itself"));
}

TEST(CheckedAddresses, onlyLoopsAreCounted) {
    const CheckedCode code = checkedOf(
        "\tsetp.eq.u32 %p1, %r1, %r2;\n\t@%p1 bra $L_end;\n$L_loop:\n\t.pragma \"nounroll\";\n\t.loc 1 9 1\n"
        "\tadd.s32 %r1, %r1, 1;\n\t@%p1 bra $L_loop;\n$L_end:\n\tmov.u32 %r2, 1;");
    ASSERT_FALSE(code.ptx.empty()) << code.refusal;
    const std::string counted = "add.u64 %gravlab_turns, %gravlab_turns, 1;";
    EXPECT_EQ(countOf(code.ptx, counted), 1u);
    EXPECT_LT(code.ptx.find("$L_loop:"), code.ptx.find(counted));
    EXPECT_LT(code.ptx.find(counted), code.ptx.find("add.s32 %r1, %r1, 1;"));
    EXPECT_THAT(code.ptx, HasSubstr("@%gravlab_yes call gravlab_checked_found"));
    EXPECT_THAT(code.ptx, HasSubstr(toldAs(0, 1, 0, 9)));
    // A table of branches can jump back, too.
    const CheckedCode table = checkedOf(
        "$L_a:\n\tmov.u32 %r2, 1;\n$L_b:\n$L_table: .branchtargets $L_a, $L_b;\n"
        "\tbrx.idx %r1, $L_table;");
    ASSERT_FALSE(table.ptx.empty()) << table.refusal;
    EXPECT_EQ(countOf(table.ptx, counted), 2u);
    // No index exceeds the end, under any guard.
    EXPECT_THAT(table.ptx, HasSubstr("setp.ge.u32 %gravlab_yes, %r1, 2;"));
    EXPECT_THAT(table.ptx, HasSubstr("st.param.b64 [gravlab_p2], 9;"));
    const CheckedCode guarded = checkedOf("$L_a:\n$L_table: .branchtargets $L_a;\n\t@!%p1 brx.idx %r1, $L_table;");
    EXPECT_THAT(guarded.ptx, HasSubstr("setp.ne.u32 %gravlab_yes, 0, 0;\n\t@!%p1 setp.ge.u32 %gravlab_yes, %r1, 1;"));
    EXPECT_EQ(checkedOf("$L_a:\n\tbrx.idx %r1, $L_other;").refusal, "jumps by a table that does not stand before it");
}

TEST(CheckedAddresses, arraysAreKnownWithTheirSizes) {
    const CheckedCode code = checkedOf(
        ".local .align 8 .b8 __local_depot0[40];\n.shared .align 16 .b8 _ZZ5forceE4tile[2048];\n"
        "ld.shared.f32 %f1, [_ZZ5forceE4tile];",
        ".extern .shared .align 16 .b8 dynamic[];\n.const .align 4 .b8 table[3][4];\n.global .align 4 .u32 counter;\n"
        ".global .align 8 .u64 others[2] = {1, 2};\n",
        512);
    ASSERT_FALSE(code.ptx.empty()) << code.refusal;
    EXPECT_EQ(code.arrays.shared, (std::vector<CheckedArray>{{"dynamic", 512}, {"tile", 2048}}));
    EXPECT_EQ(code.arrays.constant, (std::vector<CheckedArray>{{"table", 12}}));
    // Declared once, where all functions see it.
    EXPECT_EQ(countOf(code.ptx, "_ZZ5forceE4tile[2048]"), 1u);
    EXPECT_LT(code.ptx.find("_ZZ5forceE4tile[2048]"), code.ptx.find(".entry force"));
    for (const char* size :
         {"mov.u64 %g_begin, _ZZ5forceE4tile;\n\tmov.u64 %g_size, 2048;",
          "mov.u64 %g_begin, dynamic;\n\tmov.u64 %g_size, 512;", "mov.u64 %g_begin, table;\n\tmov.u64 %g_size, 12;",
          "mov.u64 %g_begin, counter;\n\tmov.u64 %g_size, 4;", "mov.u64 %g_begin, others;\n\tmov.u64 %g_size, 16;",
          "mov.u64 %gravlab_address, __local_depot0;"})
        EXPECT_EQ(countOf(code.ptx, size), 1u) << size;
}

TEST(CheckedAddresses, theFirstPlaceWithinTheTextIsItsLine) {
    const std::string ends = "\nld.global.f32 %f1, [%rd1];";
    const auto asked = [&](const std::string& places) { return checkedOf(places + ends).ptx; };
    EXPECT_THAT(asked("\t.loc 1 22 3"), HasSubstr(toldAs(4, 4, 0, 22)));
    EXPECT_THAT(asked("\t.loc 1 22 3\n\t.loc 1 0 3"), HasSubstr(toldAs(4, 4, 0, 22)));
    EXPECT_THAT(asked("\t.loc 1 5 3, function_name $L__info_string0, inlined_at 1 30 2"), HasSubstr(toldAs(4, 4, 0, 5)));
    EXPECT_THAT(asked("\t.loc 2 5 3, function_name $L__info_string0, inlined_at 1 30 2"), HasSubstr(toldAs(4, 4, 0, 30)));
    EXPECT_THAT(asked("\t.loc 2 5 3"), HasSubstr(toldAs(4, 4, 0, 7)));
}

/// Labels and registers as ptxas wants them: each once in its function.
void expectWellFormed(const CheckedCode& code) {
    ASSERT_FALSE(code.ptx.empty()) << code.refusal;
    static const std::regex label(R"(^\s*([\w$]+):\s*$)");
    std::set<std::string> labels;
    int registers = 0, functions = 0, depth = 0;  // ours are indented
    for (const std::string& line : linesOf(code.ptx)) {
        std::smatch match;
        if (line == "{") {
            if (depth++ > 0) continue;
            labels.clear();
            ++functions;
        } else if (line == "}") {
            --depth;
        } else if (std::regex_match(line, match, label)) {
            EXPECT_TRUE(labels.insert(match[1].str()).second) << line << " stands twice";
        }
        if (line.find(".reg .b64 %gravlab_address") != std::string::npos) ++registers;
    }
    EXPECT_EQ(depth, 0);
    constexpr int kOurs = 6;
    EXPECT_EQ(registers, functions - kOurs) << "each function of the text has our registers once";
}

/// The message of ptxas; empty: it assembles. Without ptxas nothing is tested.
std::string assembled(const std::string& ptx, const ScratchFolder& folder) {
    const std::string file = (folder / "checked.ptx").string(), said = (folder / "said").string();
    put(file, ptx);
    const std::string command = "PATH=\"$PATH:/usr/local/cuda/bin\" ptxas -arch=sm_90 " + file + " -o " +
                                (folder / "out").string() + " > " + said + " 2>&1";
    return std::system(command.c_str()) == 0 ? std::string() : "ptxas: " + contentOf(said);
}
bool assemblerIsThere() { return std::system("PATH=\"$PATH:/usr/local/cuda/bin\" ptxas --version > /dev/null 2>&1") == 0; }

/// A text that uses all that an honest one may: every space, by name and by pointer, functions, loops and PTX of its own.
constexpr const char* kOfAllKinds = R"(
__device__ int counter;
__device__ float kept[100];
__constant__ float table[16];
struct Sums { float of[40]; };
__device__ __noinline__ float sum(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
__device__ __noinline__ void raise(Sums& sums, int k) { sums.of[k & 31] += 1; }
extern __shared__ float4 tile[];
extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {
    __shared__ float small[33];
    __shared__ int flags[4];
    Sums sums;
    for (int k = 0; k < 40; ++k) sums.of[k] = k * n;
    raise(sums, n);
    int i = blockIdx.x * BLOCK + threadIdx.x;
    small[threadIdx.x % 33] = sum(sums.of, 40);
    flags[threadIdx.x & 3] = i;
    tile[threadIdx.x] = bodies[i];
    __syncthreads();
    atomicAdd(&counter, 1);
    atomicMax(&flags[1], 3);
    float x = sum(small, 33) + table[i & 15] + kept[i % 100] + sum(table, 16) + sum(&bodies[i].x, 4);
    asm volatile("{ .reg .pred p; .reg .b64 t; setp.gt.s32 p, %0, 5; mov.u64 t, %1; @p prefetch.global.L2 [t]; }" :: "r"(n), "l"(bodies));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x])), "l"(bodies + i));
    asm volatile("cp.async.wait_all;");
    switch (n % 7) { case 0: x += 3; break; case 1: x *= 2; break; case 2: x = sqrtf(x); break; case 3: x = sinf(x); break; case 4: x = expf(x); break; case 5: x = 1 / x; break; }
    if (__syncthreads_count(i > 3) > 4) x += __shfl_xor_sync(~0u, x, 1);
    volatile float* mine = &accelerations[i].x;
    mine[0] = x;
    mine[1] = __ldg(&bodies[i].y);
    atomicAdd(&accelerations[i].z, (float)(x / (double)(n + 3)));
    if (n == 77) __trap();
}
)";

TEST(CheckedAddresses, textsToBeginWithAndOfAllKindsAreAskedAboutAndAssemble) {
    if (const Reason reason = whyNoCompiler(); !reason.empty()) GTEST_SKIP() << reason;
    const bool assembler = assemblerIsThere();
    const ScratchFolder folder;
    const auto expectFine = [&](std::string_view text) {
        const CheckedCode code = compileChecked(text, "my.cu", 9, 0);
        expectWellFormed(code);
        EXPECT_GE(code.accesses, 3);
        EXPECT_THAT(code.ptx, HasSubstr(".maxntid"));
        if (assembler) {
            EXPECT_EQ(assembled(code.ptx, folder), "");
        }
    };
    for (const OwnTemplate& row : ownTemplates()) {
        SCOPED_TRACE(std::string(row.name));
        expectFine(ownTemplateText(row.name));
    }
    SCOPED_TRACE("of all kinds");
    expectFine("// gravlab: shared=2048\n" + std::string(kOfAllKinds));
    if (!assembler) GTEST_SKIP() << "NOT ASSEMBLED: there is no ptxas in PATH or /usr/local/cuda/bin";
}

TEST(CheckedAddresses, everyAccessOfARealTextHasItsQuestionRightBefore) {
    if (const Reason reason = whyNoCompiler(); !reason.empty()) GTEST_SKIP() << reason;
    static const std::regex access(R"(^(ld|st|atom|red)\.((volatile|relaxed|gpu)\.)*(global|shared|local|const).*)");
    for (const OwnTemplate& row : ownTemplates()) {
        SCOPED_TRACE(std::string(row.name));
        const std::vector<std::string> lines = linesOf(compileChecked(ownTemplateText(row.name), "my.cu", 9, 0).ptx);
        for (std::size_t i = 1; i < lines.size(); ++i) {
            if (!std::regex_match(lines[i], access)) continue;  // ours are indented
            EXPECT_EQ(lines[i - 1], "\t}") << lines[i];
            EXPECT_THAT(lines[i - 2], testing::StartsWith("\tcall gravlab_checked_")) << lines[i];
        }
    }
}

TEST(CheckedAddresses, linesAreThoseOfTheText) {
    if (const Reason reason = whyNoCompiler(); !reason.empty()) GTEST_SKIP() << reason;
    const auto refusal = [](const std::string& text) { return compileChecked(text, "my.cu", 9, 0); };
    const CheckedCode code = refusal(
        "\nextern \"C\" __device__ int vprintf(const char*, void*);\n"
        "extern \"C\" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {\n"
        "    accelerations[threadIdx.x] = bodies[n];\n"
        "    vprintf(0, 0);\n}\n");
    EXPECT_THAT(code.refusal, HasSubstr("calls 'vprintf'"));
    EXPECT_EQ(code.line, 5);
}

TEST(CheckedAddresses, whatWasFoundIsASentence) {
    const CheckedLimits limits{.bodies = 0x10000000,
                               .bodiesBytes = 1024 * 16,
                               .accelerations = 0x20000000,
                               .accelerationsBytes = 1021 * 16,
                               .turns = 131072};
    const CheckedArrays arrays{.global = {}, .shared = {{"tile", 2048}}, .constant = {{"table", 64}}};
    const auto what = [](unsigned bytes, unsigned aligned, unsigned verb) {
        return bytes | (aligned - 1) << 8 | verb << 16 | std::uint64_t{14} << 32;
    };
    struct Row {
        std::uint32_t kind;
        std::uint64_t address, what, which;
        const char* text;
    };
    const Row rows[] = {
        {1, 0x10000000 + 16 * 70000, what(16, 16, 0), 0, "reads 16 bytes at bodies[70000], 1021 bodies are there"},
        {1, 0x10000000 - 16, what(16, 16, 0), 0, "reads 16 bytes at bodies[-1], 1021 bodies are there"},
        {1, 0x10000000 + 16 * 1024 + 4, what(4, 4, 0), 0, "reads 4 bytes at bodies[1024].y, 1021 bodies are there"},
        {1, 0x10000000 + 16 * 3 + 12, what(4, 4, 1), 0, "stores 4 bytes at bodies[3].w, and bodies are only read"},
        {1, 0x20000000 + 16 * 1021, what(16, 16, 1), 0,
         "stores 16 bytes at accelerations[1021], 1021 accelerations are there"},
        {1, 0x20000000 - 16, what(16, 16, 0), 0, "reads 16 bytes at accelerations[-1], 1021 accelerations are there"},
        {1, 0x20000000 + 16 * 1022, what(4, 4, 2), 0,
         "changes 4 bytes at accelerations[1022].x, 1021 accelerations are there"},
        {1, 0x7f0000000000, what(1, 1, 1), 0, "stores 1 byte at address 0x7f0000000000, where nothing is"},
        {2, 2048, what(16, 16, 0), 0, "reads 16 bytes at byte 2048 of tile, which has 2048 bytes of shared memory"},
        {2, 0, what(16, 16, 0), 1, "reads 16 bytes of shared memory where no array is"},
        {3, 64, what(4, 4, 0), 0, "reads 4 bytes at byte 64 of table, which has 64 bytes of constant memory"},
        {4, 9999, what(8, 8, 1), 0, "stores 8 bytes outside of its own arrays (local memory)"},
        {5, 0x10000004, what(16, 16, 0), 0, "reads 16 bytes at address 0x10000004, which is no multiple of 16"},
        {6, 0, what(0, 1, 0), 0, "ends itself by a trap"},
        {7, 0, what(0, 1, 0), 0, "an assertion does not hold"},
        {8, 0, what(0, 1, 0), 0,
         "a thread goes round loops more than 131072 times with 1021 bodies: does a loop never end?"},
        {99, 0, what(0, 1, 0), 0, "wrote over the report of its checks"},
    };
    for (const Row& row : rows) {
        const CheckedFinding finding = checkedFinding(
            {.kind = row.kind, .address = row.address, .what = row.what, .which = row.which, .blockX = 3, .thread = 12},
            limits, arrays, 1021);
        EXPECT_EQ(finding.text, std::string(row.text) + " (block 3, thread 12)");
        EXPECT_EQ(finding.line, 14);
    }
    EXPECT_THAT(checkedFinding({.kind = 6, .blockX = 3, .blockY = 2, .thread = 12}, limits, arrays, 1021).text,
                HasSubstr("(block 3, 2, thread 12)"));
}

TEST(CheckedAddresses, noHonestKernelNeedsSoManyTurns) {
    for (const std::size_t bodies : {std::size_t{1}, std::size_t{1021}, std::size_t{32768}})
        for (const int bodiesPerThread : {1, 64})
            EXPECT_GT(checkedTurns(bodies, bodiesPerThread), 32 * bodies * static_cast<std::size_t>(bodiesPerThread));
}

}  // namespace
}  // namespace gravlab
