// Grading of a folder of kernels without a GPU: the tables, and a whole folder that is compiled only.
#include "app/bench/grade.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;

/// Two kernels of one method.
constexpr const char* kAnna = R"(// gravlab: block=256
__device__ float3 pull(float4 a, float4 b, float e) {
    float3 d = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
    float r2 = d.x * d.x + d.y * d.y + d.z * d.z + e;
    float inv = rsqrtf(r2);
    float s = b.w * inv * inv * inv;
    return make_float3(d.x * s, d.y * s, d.z * s);
}
extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = bodies[i];
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        float3 p = pull(me, bodies[j], softening_squared);
        x += p.x;
        y += p.y;
        z += p.z;
    }
    accelerations[i].x = (float)x;
    accelerations[i].y = (float)y;
    accelerations[i].z = (float)z;
}
)";
constexpr const char* kBela = R"(// gravlab: block=256
extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {
    const int target = threadIdx.x + blockIdx.x * BLOCK;
    if (target < n) {
        const float4 t = bodies[target];
        double sum[3] = {0.0, 0.0, 0.0};
        int k = 0;
        while (k < n) {
            const float4 source = bodies[k++];
            const float dx = source.x - t.x;
            const float dy = source.y - t.y;
            const float dz = source.z - t.z;
            const float distance = sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening_squared))));
            const float weight = source.w / (distance * distance * distance);
            sum[0] += weight * dx;
            sum[1] += weight * dy;
            sum[2] += weight * dz;
        }
        accelerations[target] = make_float4(sum[0], sum[1], sum[2], 0.0f);
    }
}
)";

TEST(Grade, aTextThatIncludesAnotherFileIsFound) {
    struct Row {
        const char* text;
        int line;
    };
    const Row rows[] = {{"int a;\n#include \"anna.cu\"\n", 2},
                        {"#include </tmp/anna.cu>", 1},
                        {"#include <../anna.cu>", 1},
                        {"#define F \"anna.cu\"\n  #  include F\n", 2},
                        {"/* \n */ %: /*\n*/ inc\\\nlude \"anna.cu\"\n", 2},
                        {"int a; \\\n\n#inc\\\r\nlude_next \"a\"\n", 3},
                        {"const char* s = \"/*\";\n#include \"anna.cu\"\nconst char* t = \"*/\";\n", 2},
                        {"/*\n// */ #include \"anna.cu\"\n", 2},
                        {"#include/* open", 1},
                        {"#include <cuda_fp16.h>\n# define include 1\n#if 0\n#endif\n#", 0},
                        {"// #include \"anna.cu\"\nint included; /* a comment */\n", 0},
                        {"", 0}};
    for (const Row& row : rows) EXPECT_EQ(lineThatIncludes(row.text), row.line) << row.text;
    for (const char* const name : {"global", "tiled", "split", "registers"})
        EXPECT_EQ(lineThatIncludes(ownTemplateText(name)), 0) << name;
}

GradeSheet sheetOfEach() {
    GradeSheet sheet{.device = "GPU of a test", .bodies = 1000, .secondsPerForce = 2e-3};
    const auto add = [&](const char* file, OwnOutcome outcome, OwnFault fault, const char* sentence,
                         std::vector<CompilerMessage> messages) {
        Graded& row = sheet.rows.emplace_back(Graded{.file = file});
        row.reply.outcome = outcome;
        row.reply.fault = fault;
        row.reply.sentence = sentence;
        row.reply.code.messages = std::move(messages);
        if (outcome == OwnOutcome::good) row.reply.secondsPerForce = 1e-3;
    };
    add("=good.cu", OwnOutcome::good, OwnFault::none, "median 1e-7", {{1, false, "unused"}});
    add("wrong.cu", OwnOutcome::wrong, OwnFault::none, "its forces are not those of fp64: x, with 1000 bodies", {});
    add("hangs.cu", OwnOutcome::failed, OwnFault::endless, "a force takes longer than 10 s", {});
    add("out.cu", OwnOutcome::failed, OwnFault::address, "", {{2, true, "stores 4 bytes at \"a\""}});
    add("bad<i>.cu", OwnOutcome::badText, OwnFault::none, "", {{1, true, "a <b> & c"}, {2, true, "second"}});
    add("line.cu", OwnOutcome::badText, OwnFault::none, "line.cu:2: block '0': expected more", {});
    return sheet;
}

TEST(GradeTables, everyErrorHasItsFileVerdictAndLine) {
    const std::vector<std::string> lines = linesOf(gradeCsv(sheetOfEach()));
    ASSERT_EQ(lines.size(), 8u);
    EXPECT_EQ(lines[1], "./=good.cu,good,,median 1e-7,0.001,1e+09,2,1000,GPU of a test");
    EXPECT_EQ(lines[2], "wrong.cu,wrong,,\"its forces are not those of fp64: x, with 1000 bodies\",,,,1000,GPU of a test");
    EXPECT_THAT(lines[3], HasSubstr("hangs.cu,hangs,,a force takes longer than 10 s,"));
    EXPECT_THAT(lines[4], HasSubstr("out.cu,out of bounds,2,\"stores 4 bytes at \"\"a\"\"\","));
    EXPECT_THAT(lines[5], HasSubstr("bad<i>.cu,errors,1,a <b> & c,"));
    EXPECT_THAT(lines[6], HasSubstr("bad<i>.cu,errors,2,second,"));
    EXPECT_THAT(lines[7], HasSubstr("line.cu,errors,2,block '0': expected more,,,,1000,"));
}

TEST(GradeCommand, aFolderOfFiveKernels) {
    const ScratchFolder folder;
    const auto write = [&](const char* name, const std::string& text) { put((folder / name).string(), text); };
    const fs::path csv = folder / "marks.csv";
    const std::vector<std::string> grade{"grade", folder.path().string(), "-n", "500"};
    const Outcome empty = runGravlab(grade);
    EXPECT_EQ(empty.code, static_cast<int>(ExitCode::badInput));
    EXPECT_THAT(empty.err, HasSubstr("has no kernels: their names end in .cu"));
    write("anna.cu", kAnna);
    write("bela.cu", std::string(kBela).replace(std::string(kBela).find("float4 t"), 8, "float4 s"));  // t is undefined
    write("dora.cu", std::string(ownTemplateText("tiled")));
    write("emil.cu", "// gravlab: block=0\n" + std::string(kBela));
    write("hugo.cu", std::string(kAnna).replace(std::string(kAnna).find("double x"), 0, "printf(\"%d\", n); "));
    write("fay.cu", "#include \"anna.cu\"\n");
    write("notes.txt", "no kernel");
    fs::create_symlink(folder / "notes.txt", folder / "gina.cu");
    if (!whyNoCompiler().empty()) {
        EXPECT_EQ(runGravlab(grade).code, static_cast<int>(ExitCode::noDevice));
        GTEST_SKIP() << whyNoCompiler();
    }
    std::vector<std::string> both = grade;
    both.insert(both.end(), {"--csv", csv.string()});
    const Outcome done = runGravlab(both);
    const bool device = backend("cuda").unavailable({}).empty();
    EXPECT_EQ(done.code, device ? 0 : static_cast<int>(ExitCode::noDevice)) << done.err;
    EXPECT_EQ(done.err.find("no force was checked, and none was timed") == std::string::npos, device) << done.err;
    const char* const passed = device ? "good" : "compiles";
    const std::vector<std::string> lines = linesOf(contentOf(csv));
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    EXPECT_THAT(all, HasSubstr(std::string("anna.cu,") + passed + ","));
    EXPECT_THAT(all, HasSubstr("bela.cu,errors,10,\"identifier \"\"t\"\" is undefined\","));
    EXPECT_THAT(all, HasSubstr(std::string("dora.cu,") + passed + ","));
    EXPECT_THAT(all, HasSubstr("emil.cu,errors,1,block '0': expected a whole number from 1 to 1024,"));
    EXPECT_THAT(all, HasSubstr("fay.cu,errors,1,\"it includes another file"));
    EXPECT_THAT(all,
                HasSubstr("hugo.cu,errors,13,\"it calls 'vprintf', which is not in the text: what that touches cannot be"));
    EXPECT_THAT(all, HasSubstr("gina.cu,errors,,gina.cu is a link; hand in the file itself,"));
    EXPECT_EQ(all.find("notes"), std::string::npos);
}

TEST(GradeCommand, whatItCannotWriteIsRefusedFirst) {
    const ScratchFolder folder;
    put((folder / "a.cu").string(), "int a;\n");
    const std::string kernel = (folder / "a.cu").string();
    const Outcome replaced = runGravlab({"grade", folder.path().string(), "--csv", kernel});
    EXPECT_EQ(replaced.code, static_cast<int>(ExitCode::usage)) << replaced.err;
    EXPECT_EQ(contentOf(kernel), "int a;\n");
    EXPECT_EQ(runGravlab({"grade", (folder / "none").string()}).code, static_cast<int>(ExitCode::badInput));
    EXPECT_EQ(runGravlab({"grade", kernel}).code, static_cast<int>(ExitCode::badInput));
}

}  // namespace
}  // namespace gravlab
