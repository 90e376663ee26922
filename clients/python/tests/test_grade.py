"""The likeness of texts, and the page of graded kernels. Needs no program."""

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

from gravlab import grade

ANNA = """// gravlab: block=256
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
"""
BELA = """// gravlab: block=256
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
"""


def disguised(text):
    """The text under other names, with other comments and spaces."""
    for old, new in ((r"\bpull\b", "attraction"), (r"\bme\b", "self_body"), (r"\binv\b", "q"), (r"\bd\b", "delta"),
                     (r"\n *", "\n\t"), (r" \+ ", "  +  /* and */ ")):
        text = re.sub(old, new, text)
    return "// All my own work.\n" + text


class CopiedText(unittest.TestCase):
    def test_comments_spaces_and_names_do_not_hide_a_copy(self):
        anna, bela, copy = grade.shape(ANNA), grade.shape(BELA), grade.shape(disguised(ANNA))
        self.assertEqual(grade.likeness(anna, copy), 1)
        self.assertEqual(anna, copy)
        self.assertLess(grade.likeness(anna, bela), 0.3)
        changed = grade.shape(disguised(ANNA).replace("double x", "float unused = 17 * n;\ndouble x"))
        self.assertTrue(0.6 < grade.likeness(anna, changed) < 1)
        self.assertEqual(grade.likeness(anna, copy, frozenset(anna)), 0, "what everyone was given counts for neither")
        self.assertEqual(grade.likeness(set(), set()), 0)

    def test_texts_are_compared_with_the_others_and_with_the_initial_ones(self):
        given = grade.initial_texts()
        self.assertIn("split", given)
        texts = {"anna.cu": ANNA, "bela.cu": BELA, "chris.cu": disguised(ANNA), "dora.cu": given["split"],
                 "emil.cu": given["split"], "empty.cu": ""}
        alike = grade.copies(texts, given)
        self.assertEqual(alike["anna.cu"], ("chris.cu", 1))
        self.assertEqual(alike["chris.cu"], ("anna.cu", 1))
        for name in ("dora.cu", "emil.cu"):
            self.assertEqual(alike[name][0], "the initial text split")
        self.assertFalse({"bela.cu", "empty.cu"} & set(alike))


class Page(unittest.TestCase):
    def test_errors_stand_below_their_lines_and_nothing_is_markup(self):
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder)
            (here / "=a<script>.cu").write_text("int a;\n\tint <b>;\n")
            (here / "anna.cu").write_text(ANNA)
            (here / "chris.cu").write_text(disguised(ANNA))
            (here / "secret").write_text("no kernel")
            os.symlink(here / "secret", here / "gina.cu")
            os.mkfifo(here / "pipe.cu")
            (here / "marks.csv").write_text(
                "file,verdict,line,message,seconds_per_force,interactions_per_second,times_tiled,bodies,device\n"
                "./=a<script>.cu,errors,2,\"a <b> & c\",,,,1000,\n"
                "anna.cu,good,,median 1e-7,0.001,1e+09,2,1000,GPU of a test\n"
                "chris.cu,good,,median 1e-7,0.001,1e+09,2,1000,GPU of a test\n"
                "gina.cu,errors,,gina.cu is a link,,,,1000,\n")
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                grade.main([str(here / "marks.csv"), folder, "-o", str(here / "marks.html")])
            page = (here / "marks.html").read_text()
        self.assertIn("chris.cu is like anna.cu: 100 % of its text", said.getvalue())
        self.assertIn("<mark>    2      int &lt;b&gt;;</mark></pre><p class=\"error\">a &lt;b&gt; &amp; c</p>", page)
        self.assertIn("GPU of a test, 1,000 bodies.", page)
        self.assertIn("anna.cu (100 %)", page)
        for word in ("<script>", "<b>", "no kernel"):
            self.assertNotIn(word, page)


if __name__ == "__main__":
    unittest.main()
