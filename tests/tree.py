#!/usr/bin/env python3
"""Tests of the text of the tree: what includes what, words of comments, sizes of rooms, patches, and what pages say of sources.

    tests/tree.py                     all of them, in a few seconds and without a build
    tests/tree.py Includes Sizes      these alone

Needs Python's standard library. Each rule has a test that it can fail."""
import functools
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".h", ".cpp", ".cu", ".cuh", ".inl", ".glsl", ".vert", ".frag", ".comp"}


@functools.cache
def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


@functools.cache
def files_of(*folders):
    """Names of all files below these folders."""
    return sorted(path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())


def sources_of(*folders):
    return [name for name in files_of(*folders) if pathlib.Path(name).suffix in CODE]


# Includes. A row is a rule: headers that only the named files may include, as regular expressions. A name without a dot or slash is
# the standard library.
FENCES = [
    ("Highway is for sim/backends/cpu", r"hwy/.*", r"sim/backends/cpu/.*"),
    ("OpenMP is for sim/backends/cpu", r"omp\.h", r"sim/backends/cpu/.*"),
    ("processor intrinsics are for sim/backends/cpu", r".*intrin\.h", r"sim/backends/cpu/.*"),
    ("CUDA is for sim/backends/cuda", r"(cuda|cuda_.*|nv.*|driver_types)\.h|cub/.*|cooperative_groups.*",
     r"sim/backends/cuda/.*|render/.*_cuda\.cpp|tests/(gpu|launches)/.*|tests/extensions/.*\.cu"),
    ("sim/backends/cuda is for builds with CUDA", r"sim/backends/cuda/.*",
     r"sim/backends/cuda/.*|render/.*_cuda\.cpp|tests/(gpu|launches)/.*|tests/.*\.cu"),
    ("toml++ is for the file that checks what it takes for granted", r"toml\+\+/.*", r"sim/io/toml_parser\.h"),
    ("the parser of TOML is for three files", r"sim/io/toml_parser\.h",
     r"sim/io/toml_value\.cpp|app/lessons/lesson_file\.cpp|app/files/toml_document\.cpp"),
    ("zlib is for sim/io/file", r"zlib\.h", r"sim/io/file/.*|tests/unit/io_.*"),
    ("HDF5 is for sim/io", r"hdf5.*|H5.*", r"sim/io/.*|tests/unit/io_.*"),
    ("OpenGL is for render and for contexts", r"glad/.*|GL/.*",
     r"render/.*|app/frontends/[a-z]+/(window|headless|[a-z_]*context)[a-z_]*\.(h|cpp)|tests/(gl|gui|gpu)/.*"),
    ("GLM is for render and what uses cameras", r"glm/.*", r"render/.*|app/.*|tests/.*"),
    ("GLFW is for its context", r"GLFW/.*|backends/imgui_impl_glfw\.h|imgui_impl_glfw\.h",
     r"app/frontends/window/window[a-z_]*\.(h|cpp)|tests/gui/.*"),
    ("EGL is for its context", r"EGL/.*", r"app/frontends/headless/headless[a-z_]*\.(h|cpp)|tests/(gl|gpu)/.*"),
    ("Boost is for sockets", r"boost/.*", r"app/serve/wire_beast\.cpp"),
    ("each codec has a file", r"wels/.*|turbojpeg\.h", r"app/serve/codec_(openh264|jpeg)\.cpp"),
    ("CLI11 is for the options", r"CLI/.*", r"app/commands/(options|option_rows)\.cpp"),
    ("render sees vertices only", r"sim/(?!core/vertex\.h|api/errors\.h|core/names\.h|backends/cuda/runtime/api\.h).*",
     r"(?!render/).*"),
    ("nobody below the app includes it", r"app/.*", r"app/.*|tests/.*"),
    ("physics does not know pictures", r"render/.*", r"(?!sim/).*"),
    ("the physics core includes the standard library only", r"(?!sim/)(?!generated/)(?!assets/).*[./].*",
     r"sim/(api|backends/cpu|backends/cuda|backends/ranks|own|io)/.*|sim/core/(thread_pool|pages)\.cpp|(?!sim/).*"),
    ("public headers include each other and the standard library", r".*/.*", r"(?!sim/api/).*"),
    ("additions see public headers only", r"(sim/(?!api/)|app|render).*",
     r"(?!tests/extensions/(?!extended_program)|tests/outside/|clients/).*"),
    ("panels read documents and readouts",
     r"app/view/(?!service_results).*|app/runs/(run_host|run|twin|state_feed|body_editor)\.h", r"(?!app/ui/).*|app/ui/ui\.cpp"),
    ("ImGui is for the app", r"imgui.*|implot.*", r"app/.*|tests/gui/.*|tests/gl/still_test\.cpp"),
]

# The rooms, a folder or the files of one name, in rows: they include each other and rooms of rows before. The longest name that fits
# counts.
FLOORS = """
    sim/api
    sim/core
    sim/forces
    sim/integrators
    sim/tree, sim/contact
    sim/measure, sim/groups
    sim/backends
    sim/engine, sim/own
    sim/backends/reference, sim/backends/cpu, sim/backends/cuda/runtime
    sim/backends/cuda/kernels
    sim/backends/cuda/kernel_table
    sim/backends/cuda/methods
    sim/backends/cuda/own, sim/backends/cuda/jobs
    sim/backends/cuda, sim/backends/without_cuda
    sim/scenes
    sim/run
    sim/io/file
    sim/io
    render
    app/tables
    app/system
    app/model
    app/plots
    app/bench
    app/film
    app/parameters
    app/files
    app/control
    app/runs
    app/services
    app/lab
    app/view
    app/lessons
    app/ui
    app/frontends/headless
    app/session
    app/frontends/window, app/serve
    app/commands
    app/main"""
ROOMS = {room: floor for floor, row in enumerate(FLOORS.strip().splitlines()) for room in row.strip().split(", ")}


@functools.cache
def room_of(name):
    """A root folder is a room for its own files only."""
    fits = [room for room in ROOMS if name.startswith((room + "/", room + ".")) and ("/" in room or "/" not in name[len(room) + 1:])]
    return max(fits, key=len, default=None)


def ordered(file, header):
    """Whether the order of the rooms has a say."""
    return not file.startswith("tests/") and header.startswith(("sim/", "render/", "app/"))


def past_a_fence(file, header):
    for what, headers, files in FENCES:
        if re.fullmatch(headers, header) and not re.fullmatch(files, file):
            return what
    return None


def disorder(file, header):
    if not ordered(file, header):
        return None
    room, other = room_of(file), room_of(header)
    if not room or not other:
        return "a folder is no room"
    return None if room == other or ROOMS[other] < ROOMS[room] else f"{room} stands above or beside {other}"


def circle_of(includes):
    """The rooms of a circle of includes, first and last the same. A file outside all rooms counts by its folder."""
    edges = {}
    for file, header in includes:
        ends = [room_of(name) or name.rsplit("/", 1)[0] for name in (file, header)]
        if ordered(file, header) and ends[0] != ends[1]:
            edges.setdefault(ends[0], set()).add(ends[1])
    done, path = set(), []

    def walk(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return []
        path.append(room)
        for following in sorted(edges.get(room, ())):
            if found := walk(following):
                return found
        path.pop()
        done.add(room)
        return []

    return next((found for room in sorted(edges) if (found := walk(room))), [])


@functools.cache
def all_includes():
    """(file, header, line) of the whole tree."""
    pattern = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
    return [(name, found[1], text_of(name).count("\n", 0, found.start(1)) + 1)
            for name in sources_of("sim", "render", "app", "tests", "clients/cpp") if name.endswith((".h", ".cpp", ".cu", ".cuh"))
            for found in pattern.finditer(text_of(name))]


class Includes(unittest.TestCase):
    def test_the_tree_keeps_the_fences(self):
        self.assertGreater(len(all_includes()), 100)
        self.assertEqual([row for row in all_includes() if past_a_fence(*row[:2])], [])

    def test_rooms_include_only_rooms_before_them(self):
        self.assertEqual([(*row, why) for row in all_includes() if (why := disorder(*row[:2]))], [])
        self.assertEqual(circle_of([row[:2] for row in all_includes()]), [])

    def test_a_room_that_includes_downwards_is_noticed(self):
        for pair in (("sim/core/clock.h", "sim/forces/law.h"), ("sim/measure/diagnostics.cpp", "sim/backends/backend.h"),
                     ("sim/backends/cpu/engine.cpp", "sim/backends/cuda/engine.h"),
                     ("sim/backends/cuda/kernels/force.h", "sim/backends/cuda/methods/force_plan.h"),
                     ("sim/scenes/disc.cpp", "sim/run/simulation.h"), ("sim/run/simulation.cpp", "sim/io/checkpoint.h"),
                     ("sim/io/file/source.cpp", "sim/io/snapshot.h"), ("app/model/look.cpp", "app/runs/history.h"),
                     ("app/runs/history.cpp", "app/ui/ui.h"), ("app/ui/overlay.cpp", "app/frontends/window/window.h"),
                     ("app/ui/panel_film.cpp", "app/commands/options.h"), ("app/invented/new.cpp", "app/model/look.h"),
                     ("app/ui/panel_film.cpp", "app/invented/new.h"), ("app/tables/format.cpp", "app/model/look.h")):
            self.assertTrue(disorder(*pair), pair)
        for pair in (("sim/forces/law.h", "sim/core/names.h"), ("sim/backends/backend.h", "sim/measure/shape.h"),
                     ("sim/backends/cpu/kernels/simd.h", "sim/backends/cpu/engine.h"), ("app/ui/ui.h", "app/tables/format.h"),
                     ("app/main.cpp", "app/bench/verify.h"), ("app/commands/command_run.cpp", "app/files/snapshot_jobs.h")):
            self.assertFalse(disorder(*pair), pair)
        circle = [("app/one/a.h", "app/two/b.h"), ("app/two/b.h", "app/three/c.h"), ("app/three/c.h", "app/one/a.h"),
                  ("app/zero/d.h", "app/one/a.h")]
        self.assertEqual(circle_of(circle), ["app/one", "app/two", "app/three", "app/one"])
        self.assertEqual(circle_of(circle[:2] + circle[3:]), [])

    def test_an_include_past_a_fence_is_noticed(self):
        for pair in (("sim/run/simulation.cpp", "cuda_runtime.h"), ("sim/run/simulation.cpp", "unistd.h"),
                     ("sim/scenes/disc.cpp", "glm/vec3.hpp"), ("sim/measure/diagnostics.cpp", "hwy/highway.h"),
                     ("sim/backends/cuda/tiled.cu", "render/camera.h"), ("sim/backends/backend.cpp", "app/commands/options.h"),
                     ("render/camera.cpp", "sim/run/simulation.h"), ("render/particle_buffer.cpp", "cuda_runtime.h"),
                     ("render/camera.h", "imgui.h"), ("app/services/telemetry.cpp", "GLFW/glfw3.h"),
                     ("app/commands/command_run.cpp", "sim/backends/cuda/runtime/api.h"),
                     ("app/lab/visit_order.cpp", "sim/backends/cuda/kernels/symmetric.h"),
                     ("sim/backends/backend.cpp", "sim/backends/cuda/backend_cuda.h"),
                     ("tests/unit/kernel_source_test.cpp", "sim/backends/cuda/kernel_table.h"),
                     ("tests/extensions/springs.h", "sim/run/simulation.h"), ("app/commands/command_run.cpp", "CLI/CLI.hpp"),
                     ("app/view/app.cpp", "cuda_gl_interop.h"), ("app/ui/panel_status.cpp", "app/runs/run_host.h"),
                     ("app/ui/panel_status.cpp", "app/view/app.h"), ("app/files/config.cpp", "toml++/toml.h"),
                     ("sim/backends/cpu/pool.cpp", "cuda_runtime.h")):
            self.assertTrue(past_a_fence(*pair), pair)
        for pair in (("sim/run/simulation.cpp", "vector"), ("sim/backends/cuda/jobs/groups.cpp", "sim/backends/cuda/jobs/groups.h"),
                     ("tests/methods/trailing_cuda.cu", "sim/backends/cuda/methods/force_method.h"),
                     ("sim/backends/cpu/kernels.cpp", "hwy/highway.h"), ("render/camera.h", "sim/core/vertex.h"),
                     ("render/buffer_cuda.cpp", "sim/backends/cuda/runtime/api.h"), ("app/commands/options.cpp", "CLI/CLI.hpp")):
            self.assertFalse(past_a_fence(*pair), pair)

    def test_a_stage_of_a_change_knows_no_later_one(self):
        later = ["sim/run/simulation.h"]
        for stage in ("build", "judge", "resolve"):
            for end in (".h", ".cpp"):
                self.assertEqual([header for header in later if header in text_of(f"sim/run/{stage}{end}")], [], stage)
            later.append(f"sim/run/{stage}.h")

    def test_every_header_is_read_once(self):
        self.assertEqual([name for name in files_of("sim") if name.endswith(".h") and "#pragma once" not in text_of(name)], [])


# Ways to open, create, replace or remove files without sim/io/file, which leaves the old or the new file whole. The flags of open()
# match all its forms, also across a line break.
PAST = re.compile("|".join(f"(?:{way})" for way in (
    r"\bO_(RDONLY|WRONLY|RDWR|CREAT|TMPFILE|PATH)\b",
    r"\bf(re|d)?open\s*\(",
    r"\bpopen\s*\(",
    r"\bw?[io]?fstream\b|\bfilebuf\b",
    r"(^|[^A-Za-z0-9_>:.])(::)?(creat|unlink|rename|symlink|truncate|mkfifo|mknod)(at|at2)?\s*\(",
    r"(^|[^A-Za-z0-9_>])::(open|link)(at)?\s*\(",
    r'\bstd::(rename|remove|tmpfile|tmpnam)\s*\(\s*[^,()]*(c_str|"|\))',
    r"(\bfs|filesystem)::(rename|remove|remove_all|copy|copy_file|copy_symlink|resize_file|create_symlink|create_hard_link|permissions)"
    r"\s*\(",
    r"namespace\s+(?!fs\b)\w+\s*=\s*std::filesystem|using\s+namespace\s+std::filesystem|using\s+std::filesystem",
    r"\bmk[a-z]*temp\s*\(",
    r"\b(stbi_write_|png_image_write_to_file|SaveIniSettingsToDisk|LogToFile|H5F(open|create))")))

# Files that use one of them, with the number of lines and the reason.
PAST_EXCEPTIONS = {
    "sim/core/validation.cpp": (4, "reads /proc and /sys, which are no files of a user"),
    "sim/backends/cpu/backend_cpu.cpp": (2, "reads /proc/cpuinfo"),
    "sim/io/hdf5/helper_process.cpp": (1, "writes to /dev/null"),
    "sim/io/hdf5/gadget_reader.cpp": (1, "the library opens the descriptor that it is given, in a process of its own"),
    "sim/io/hdf5/gadget_writer.cpp": (1, "a file in memory"),
    "app/system/child_process.cpp": (1, "gives /dev/null to a program that it starts"),
    "app/film/film_encoded.cpp": (3, "reads /proc of the encoder, and keeps what that says in a file without a name"),
    "app/commands/command_report.cpp": (3, "reads /proc, /etc/os-release and the configuration line by line"),
    "app/film/film.cpp": (2, "removes the numbered frames of a film that was given up"),
    "app/files/state_folder.cpp": (9, "marks of living sessions are locks and no data; states are removed as their budget says"),
    "app/control/line_reader.cpp": (1, "reads a script line by line from whatever gives lines, pipes and terminals too"),
    "app/commands/program.cpp": (1, "holds /dev/null where a stream is closed"),
}

# Files of the app that may hold a document to change it: the rooms of commands, parameters and files, the document's own, what carries
# commands out on the runs, and the view, whose camera and selection follow time and clicks. app/system is below documents.
WRITERS = re.compile(r"app/(control|files|model|parameters|system|view)/.*|app/runs/(run_host|body_editor)\.(h|cpp)|"
                     r"app/session/session_files\.(h|cpp)")


def code_lines(name):
    """(number, code) of each line without its remark."""
    return [(number, line.partition("//")[0]) for number, line in enumerate(text_of(name).split("\n"), 1) if len(line) <= 400]


def goes_past(line):
    return bool(PAST.search(line.partition("//")[0]))


def takes_document(line):
    """Whether the code names a document that can be changed, or takes const away."""
    code = line.partition("//")[0]
    return "const_cast" in code or len(re.findall(r"\bDocument\s*[&*]", code)) > len(re.findall(r"\bconst Document\s*[&*]", code))


def without_cuda(cmake):
    """Commands of a CMake file that name CUDA's folder outside of `if(GRAVLAB_HAS_CUDA)`."""
    found, branches = [], []  # of the branches around a line: whether it is for builds with CUDA
    for line in map(str.strip, cmake.splitlines()):
        if line.startswith("if("):
            branches.append(line == "if(GRAVLAB_HAS_CUDA)")
        elif line.startswith("else"):
            branches[-1] = False
        elif line.startswith("endif"):
            branches.pop()
        elif not line.startswith("#") and "backends/cuda" in line and not any(branches):
            found.append(line)
    return found


def for_later_devices(source):
    """Lines of CUDA code that compute capability 7.5 lacks, outside of a branch for later devices."""
    found, later = [], False
    for line in source.splitlines():
        if "#if" in line and "__CUDA_ARCH__ >= " in line:
            later = True
        elif "#else" in line or "#endif" in line:
            later = False
        elif not later and re.search(r"__reduce_|redux\.sync|cp\.async|mbarrier|__nv_bfloat16", line):
            found.append(line)
    return found


def goes_over_bodies(line):
    return re.search(r"for \(.*(bodies_?(\(\))?(\.|->)(size|position|velocity|id)\b|: &?bodies_|vector<ParticleVertex>)", line)


class Code(unittest.TestCase):
    def test_files_are_opened_and_replaced_in_one_room(self):
        used = dict.fromkeys(PAST_EXCEPTIONS, 0)
        for name in files_of("sim", "render", "app"):
            if name.startswith("sim/io/file/"):
                continue
            lines = [(number, code) for number, code in code_lines(name) if PAST.search(code)]
            if name in used:
                used[name] = len(lines)
            else:
                self.assertEqual(lines, [], name + ": files are opened, created and replaced by sim/io/file (AtomicFile, Source)")
        self.assertEqual(used, {name: lines for name, (lines, _) in PAST_EXCEPTIONS.items()}, "lines of each exception")

    def test_what_goes_past_is_noticed(self):
        for line in ("std::ofstream file(path);", 'FILE* f = fopen(name, "w");', "const int fd = ::open(path.c_str(), O_RDONLY);",
                     "if (::rename(a, b))", "fs::remove(file, error);", "std::filesystem::rename(a, b);", "::mkstemp(name);",
                     "std::rename(a.c_str(), b.c_str());", "    const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);",
                     "        O_WRONLY | O_CLOEXEC);", "unlink(name);", "renameat2(a, b, c, d, 0);", "popen(command, mode)",
                     "fdopen(fd, mode)", "#include <fstream>", "std::wofstream file;", "std::filebuf buffer;", 'std::remove("a");',
                     "fs::create_symlink(a, b);", "filesystem::remove_all(a);", "namespace files = std::filesystem;",
                     "using namespace std::filesystem;", "stbi_write_png(name, 1, 1, 3, data, 3);",
                     'posix_spawn_file_actions_addopen(&actions, 1, "x", O_WRONLY, 0);', "ImGui::SaveIniSettingsToDisk(name);"):
            self.assertTrue(goes_past(line), line)
        for line in ("void FileJobs::open(std::string path) {", "files.open();", "std::remove(list.begin(), list.end(), 3);",
                     "// std::ofstream in a remark", "Source source = Source::open(path);", "reopen(now)", "reader.rename(to);",
                     "tree.unlink(node);", "lessons.open(workspace, lesson);", "namespace fs = std::filesystem;",
                     "pipe2(ends, O_CLOEXEC)", "program.link(files);"):
            self.assertFalse(goes_past(line), line)

    def test_settings_change_by_commands_alone(self):
        for line in ("void open(Document& document, int step);", "Document* document_;",
                     "const_cast<Intent&>(document.intent).paused = true;", "bool take(const Document& before, Document& now);"):
            self.assertTrue(takes_document(line), line)
        for line in ("void open(const Document& document);", "const Document* document_;", "Document document;",
                     "// Document& in a remark", "bool SessionDocument(int);"):
            self.assertFalse(takes_document(line), line)
        readers = [name for name in files_of("app") if not WRITERS.fullmatch(name)]
        self.assertGreater(len(readers), 100)
        self.assertEqual([(name, number, code) for name in readers for number, code in code_lines(name) if takes_document(code)], [],
                         "post a command, or report through DocumentReports")

    def test_loops_over_bodies_are_optimised(self):
        self.assertTrue(goes_over_bodies("    for (std::size_t i = 0; i < bodies.size(); ++i) {"))
        self.assertTrue(goes_over_bodies("    for (const Double4& p : bodies.position) sum += p.w;"))
        self.assertFalse(goes_over_bodies("    for (const BodyName& row : names) use(row);"))
        # The CMake lists of sources that are compiled for a quick build.
        row = re.compile(r'list\(FILTER light_sources (INCLUDE|EXCLUDE) REGEX "([^"]*)"\)')
        for room in ("app", "sim"):
            filters = [(kind == "INCLUDE", re.compile(regex.replace("\\\\", "\\"))) for kind, regex in
                       row.findall(text_of(f"{room}/CMakeLists.txt"))]
            self.assertGreaterEqual(len(filters), 4, room)
            loops = {name: [number for number, line in enumerate(text_of(name).split("\n"), 1) if goes_over_bodies(line)]
                     for name in files_of(room) if name.endswith(".cpp")}
            light = {name for name in loops if all(bool(regex.search("/" + name)) == wanted for wanted, regex in filters)}
            self.assertEqual([(name, loops[name]) for name in sorted(light) if loops[name]], [],
                             f"these go over bodies; take them out of light_sources of {room}/CMakeLists.txt")
            self.assertGreater(len(light), 30, room)
            self.assertGreater(sum(map(len, loops.values())), 5, room)

    def test_precisions_are_spelled_in_one_file(self):
        spelled = {name for name in files_of("sim", "render", "app") if name.endswith((".h", ".cpp"))
                   and re.search(r'"(fp32|mixed|fp64)"', text_of(name))}
        self.assertEqual({pathlib.Path(name).name for name in spelled}, {"precision.cpp"}, spelled)

    def test_panels_keep_no_state_in_functions_and_wrap_texts_by_one_function(self):
        """Such state would belong to all panels of the process. Maps of constant texts are allowed. See linesWithin()."""
        for name in files_of("app/ui"):
            text = text_of(name)
            self.assertIsNone(re.search(r"\n +static (?!constexpr|const |std::(unordered_)?map)[^;({]*[;={]", text), name)
            self.assertNotIn("TextWrapped", text, name)
            self.assertIsNone(re.search(r"post\(\{[^;]*SetParameter\{[^;]*(invokeOf\(|Invoke\{)", text), name + ": only settings can be in a batch")
            self.assertTrue("PushTextWrapPos" not in text or name == "app/ui/widgets.cpp", name)

    def test_devices_of_capability_75_have_all_instructions(self):
        code = [name for name in files_of("sim/backends/cuda") if name.endswith((".cu", ".cuh"))]
        self.assertGreater(len(code), 25)
        self.assertEqual([(name, lines) for name in code if (lines := for_later_devices(text_of(name)))], [])
        self.assertEqual(for_later_devices("#if __CUDA_ARCH__ >= 800\n__reduce_add_sync(a)\n#else\n__reduce_or_sync(b)\n#endif\n"),
                         ["__reduce_or_sync(b)"])

    def test_builds_without_cuda_compile_nothing_of_its_folder(self):
        cmake = text_of("sim/CMakeLists.txt")
        self.assertEqual(without_cuda(cmake), ['list(FILTER sim_sources EXCLUDE REGEX "/backends/cuda/")'])
        self.assertLess(cmake.index("file(GLOB_RECURSE sim_sources"), cmake.index('EXCLUDE REGEX "/backends/cuda/"'))
        self.assertEqual(without_cuda("if(GRAVLAB_HAS_CUDA)\n  set(a backends/cuda/a.cpp)\nelse()\n  set(b backends/cuda/b.cpp)\n"
                                      "endif()\n# backends/cuda\nset(c backends/cuda/c.cpp)\n"),
                         ["set(b backends/cuda/b.cpp)", "set(c backends/cuda/c.cpp)"])


def complaints(table, lines):
    """Of rooms that are larger than their row of tests/data/room_sizes.txt, far smaller, or in no row."""
    rows = [line.split(maxsplit=2) for line in table.splitlines() if line and not line.startswith("#")]
    rooms, found = dict.fromkeys((row[0] for row in rows), 0), []
    for name, count in lines.items():
        room = max((room for room in rooms if name.startswith(room + "/")), key=len, default=None)
        if room is None:
            found.append(name + " is in no room of the table")
        else:
            rooms[room] += count
    for room, allowed, *why in rows:
        now = f"{room} has {rooms[room]} lines, {allowed}"
        if rooms[room] > int(allowed):
            found.append(now + " allowed: make it smaller, or raise the row and say why")
        elif int(allowed) > rooms[room] + max(100, rooms[room] // 20):
            found.append(now + " allowed: lower the row, so that the room keeps its size")
        if not why:
            found.append(room + " does not say what its lines are for")
    return found


class Sizes(unittest.TestCase):
    """Each room keeps its size. A commit that needs more lines raises the row and says why in that row."""

    def test_are_those_of_the_table(self):
        lines = {name: text_of(name).count("\n") for name in sources_of("app", "render", "sim", "shaders", "tests")}
        self.assertGreater(len(lines), 300)
        self.assertEqual(complaints(text_of("tests/data/room_sizes.txt"), lines), [])

    def test_a_room_that_grew_shrank_or_is_new_is_noticed(self):
        table = "# room allowed why\napp/ui 1000 panels\nsim 500 physics\n"
        fits = {"app/ui/panel.cpp": 990, "sim/core/vec.h": 490}
        self.assertEqual(complaints(table, fits), [])
        for lines, words in (({"app/ui/panel.cpp": 1001}, "app/ui has 1001 lines, 1000 allowed: make it smaller"),
                             ({"sim/core/vec.h": 390}, "lower the row"), ({"app/flat.cpp": 1}, "app/flat.cpp is in no room")):
            found = complaints(table, {**fits, **lines})
            self.assertEqual(len(found), 1, found)
            self.assertIn(words, found[0])
        self.assertIn("does not say", complaints("app 10\n", {"app/a.h": 9})[0])


# Words that make comments hard to read. Each replaces a noun or verb of the field. "share", "part" and "turn" have good uses, so only
# phrases of them are here.
AVOIDED = re.compile(r"\b(asked|told|served?|serves|met|meets?|of so many|for so many bodies|goes on|takes up|lots?|"
                     r"shares? of|by turns|in parts of|whoever|nobody's)\b", re.I)
TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|(?<![A-Za-z0-9])\'(?:[^\'\\\n]|\\.)+\'',
                   re.S)


def avoided_in(source):
    """(line, word) of the comments; one on consecutive lines is one, so that a phrase is found across a line break."""
    words = []  # (line, word) of all comments, an empty word between those apart
    last = 0
    for token in TOKEN.finditer(source):
        if not token["comment"]:
            continue
        line = source.count("\n", 0, token.start()) + 1
        if line > last + 1:
            words.append((line, ""))
        comment = re.sub(r"`[^`]*`", lambda code: "\n" * code[0].count("\n"), token["comment"])
        for last, text in enumerate(comment.split("\n"), line):
            # Marks at the start of a line are no words.
            words += [(last, word) for word in re.sub(r"^\s*[/*<!]+", "", text).split()]
    found, text, lines = [], "", []
    for line, word in words:
        text += word + " " if word else ". . "
        lines += [line] * (len(text) - len(lines))
    for hit in AVOIDED.finditer(text):
        found.append((lines[hit.start()], hit[0]))
    return found


class Comments(unittest.TestCase):
    def test_avoid_these_words(self):
        names = sources_of("app", "render", "shaders", "sim")
        self.assertGreater(len(names), 300)
        self.assertEqual([(name, *hit) for name in names for hit in avoided_in(text_of(name))], [])

    def test_labels_and_tooltips_avoid_them_too(self):
        rows = [name for name in files_of("app/control", "app/parameters", "sim/forces")
                if re.search(r"/(menu|parameters)_\w+\.cpp|/law_numbers\.\w+", name)]
        texts = [(name, text) for name in rows
                 for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", text_of(name))) if " " in text]
        self.assertGreater(len(texts), 400)
        self.assertEqual([row for row in texts if AVOIDED.search(row[1])], [])

    def test_words_are_found_in_comments_alone(self):
        source = ("int asked = 0;  // told by a trailing comment\n/// of so\n/// many bodies\n"
                  'const char* words = "the /* served */ // met";\nconst char* raw = R"x(// lots\n)x";\n'
                  "const int digits = 1'000;  /* goes on\n   and takes up a block */\n"
                  "const char quote = '\"';  // `asked` is a name, Meet is not\n// the parasol, a server and meetings are other words\n")
        self.assertEqual(avoided_in(source), [(1, "told"), (2, "of so many"), (7, "goes on"), (8, "takes up"), (9, "Meet")])


def has_word(text, word):
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    return word in text and re.search(before + re.escape(word) + after, text) is not None


def files_with(*words):
    """Sources of the program that have one of the words."""
    return {name for name in files_of("sim", "render", "shaders", "app") if any(has_word(text_of(name), word) for word in words)}


def in_backticks(cell):
    return set(re.findall(r"`([^`]+)`", cell))


def additions_of(page):
    """(what, words, files) of the rows below the heading."""
    part = page.partition("\n## What an addition changes\n")[2].partition("\n## ")[0]
    rows = re.findall(r"\| ([^|`]+) \| ([^|]+) \| ([^|]+) \|", part)
    return [(what, in_backticks(words), in_backticks(files)) for what, words, files in rows if in_backticks(words)]


def route_from(name, stops):
    """Files of the functions in the order in which a call of `name` reaches them, each function once."""
    stop = next((stop for stop in stops if stop[0] == name), None)
    if not stop:
        return []
    stops.remove(stop)
    files = [stop[1]]
    for owner, call in re.findall(r"(\.|->)?\b(\w+)\(", stop[2]):
        files += [] if owner else route_from(call, stops)
    return files


class Additions(unittest.TestCase):
    """CONTRIBUTING names the files that each kind of addition changes, by an existing example; docs/architecture.md names functions."""

    def test_change_the_files_that_contributing_names(self):
        rows = additions_of(text_of("CONTRIBUTING.md"))
        self.assertGreaterEqual(len(rows), 8)
        for what, words, files in rows:
            found = files_with(*words)
            self.assertTrue(found, what + ": the example is gone")
            self.assertEqual(found - files, set(), what + " changes files that CONTRIBUTING.md does not name")
            self.assertEqual([name for name in files if not (ROOT / name).exists()], [], what)

    def test_a_setting_returns_to_an_earlier_file_at_most_five_times_on_its_way_to_the_run(self):
        stops = []
        for stage in ("simulation", "resolve", "judge", "build", "adopt"):
            name = f"sim/run/{stage}.cpp"
            for line in text_of(name).split("\n"):
                if head := re.search(r"^(?!namespace|struct|class|using|enum)[A-Za-z][^(]*?(\w+)\(", line):
                    stops.append([head[1], name, line[head.end(1):]])
                elif stops and "//" not in line:
                    stops[-1][2] += line + "\n"
        files = route_from("apply", stops)
        self.assertLessEqual({"sim/run/resolve.cpp", "sim/run/judge.cpp", "sim/run/build.cpp"}, set(files))
        self.assertLessEqual(sum(name in files[:k] for k, name in enumerate(files) if k and name != files[k - 1]), 5)

    def test_a_lesson_is_its_file_alone(self):
        self.assertTrue((ROOT / "assets/lessons/energy-puzzle.toml").exists())
        self.assertEqual(files_with("energy-puzzle"), set())

    def test_a_term_and_a_method_are_at_most_three_files_each(self):
        for name, words in (("extensions/springs", ("Springs", "SpringEnds")),
                            ("methods/trailing", ('"trailing"', "CpuTrailing", "CudaTrailing"))):
            files = [file for file in files_of("tests/" + name.partition("/")[0]) if file.startswith("tests/" + name)]
            self.assertIn(len(files), (2, 3), name)
            self.assertEqual(files_with(*words), set(), "the program knows " + name)

    def test_a_law_is_its_file_and_its_place_in_the_list(self):
        """The loops of every backend, measurements and `check` iterate over the list."""
        folder = "sim/forces/laws/"
        types = re.search(r"using Laws = LawList<([^>]+)>", text_of(folder + "laws.inl"))[1].split(", ")
        self.assertEqual(types[0], "Gravity")
        for name in types[1:]:
            word = re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower()
            file = folder + word.replace("-", "_") + ".inl"
            found = files_with(name + "<", name + ",", name + ">", "struct " + name, f'"{word}"')
            self.assertLessEqual(found, {file, folder + "laws.inl", "sim/scenes/law_scenes.cpp"})
            self.assertEqual(files_with("struct " + name), {file})

    def test_a_backend_is_named_in_its_folder_alone(self):
        """Everywhere else a row's fields describe it: exact, usesCores, onDevice."""
        for name in ("reference", "cpu", "cuda"):
            found = files_with(f'"{name}"') - {"sim/core/fault_plan.cpp"}  # "cuda" begins the names of CUDA's functions
            self.assertTrue(found, name)
            self.assertEqual({file for file in found if not file.startswith(f"sim/backends/{name}/")}, set(), name)

    def test_architecture_names_functions_that_are_there(self):
        rows = re.findall(r"\n\| ([^|]*`[^|]+`[^|]*) \| `([^`]+)` \|", text_of("docs/architecture.md"))
        self.assertGreaterEqual(len(rows), 14)
        for names, file in rows:
            for name in in_backticks(names):
                self.assertTrue(has_word(text_of(file), name.rpartition(":")[2]), f"{name} is not in {file}")

    def test_examples_fit_and_change_few_files(self):
        """tests/additions has an example of each, which tests/additions.sh builds and tries."""
        for name, most, folders in (("action", 2, 0), ("panel", 3, 0), ("term", 3, 0), ("host", 3, 1)):
            patch = text_of(f"tests/additions/{name}.patch")
            self.assertEqual(misfit(patch), "", name)
            changes = re.findall(r"^--- (\S+).*\n\+\+\+ b/(\S+)", patch, re.M)
            made = {file.rpartition("/")[0] for before, file in changes if before == "/dev/null"}
            made = {folder for folder in made if not (ROOT / folder).exists()}
            files = [file for _, file in changes if file.rpartition("/")[0] not in made]
            self.assertTrue(0 < len(files) <= most, files)
            self.assertEqual(len(made), folders, name)
            self.assertIn("\nTry: ", patch)
            self.assertIn("\nExpect: ", patch)

    def test_are_read_from_the_table_and_found_as_words(self):
        rows = additions_of("x\n\n## What an addition changes\n\n| addition | found by | files |\n| --- | --- | --- |\n"
                            '| a scene | `"cube"`, `cube` | `a/b.cpp`, `c.h` |\n\n## Next\n| no | `x` | `y` |\n')
        self.assertEqual(rows, [("a scene", {'"cube"', "cube"}, {"a/b.cpp", "c.h"})])
        self.assertTrue(has_word("x = cube(3)", "cube"))
        self.assertFalse(has_word("cubes and acube", "cube"))
        self.assertTrue(has_word('{"cube", 1}', '"cube"'))


def misfit(patch):
    """What of a unified diff does not fit the tree: a hunk whose old lines are not together in its file, which has no line around its
    change, or whose numbers of lines differ from its head. `git apply` refuses the same."""
    hunks = 0
    for before, after, body in re.findall(r"^--- (\S+)[^\n]*\n\+\+\+ (\S+)[^\n]*\n(.*?)(?=^--- |\Z)", patch, re.M | re.S):
        made = before == "/dev/null"
        if made and (ROOT / after.removeprefix("b/")).exists():
            return after + " exists"
        if not made and not (ROOT / before.removeprefix("a/")).exists():
            return before + " is gone"
        source = "\n" + ("" if made else text_of(before.removeprefix("a/")))
        for head, text in re.findall(r"^(@@[^\n]*)\n(.*?)(?=^@@|\Z)", body, re.M | re.S):
            hunks += 1
            had, has = (int(number or 1) for number in re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))?", head).groups())
            lines = text.split("\n")[:-1]
            kept = [line[1:] for line in lines if line[:1] in ("", " ", "-")]
            around = [line for line in lines if line[:1] in ("", " ")]
            news = [line for line in lines if line[:1] == "+"]
            if ("\n" + "".join(line + "\n" for line in kept)) not in source + ("" if kept else "\n"):
                return f"{before}: {head}: {kept}"
            if len(kept) != had or len(around) + len(news) != has or (had > 0 and not around):
                return f"{before}: {head}"
    return "" if hunks else "no hunk"


class Mutations(unittest.TestCase):
    """An edited line or comment near a mistake would end its test silently."""

    def test_patches_fit_the_sources(self):
        names = [name for name in files_of("tests/mutations") if name.endswith(".patch")]
        self.assertTrue(names)
        self.assertEqual([(name, why) for name in names if (why := misfit(text_of(name)))], [])

    def test_a_patch_of_other_lines_does_not_fit(self):
        file = "tests/unit/names_test.cpp"
        head = f"--- a/{file}\n+++ b/{file}\n"
        fits = " namespace gravlab {\n-namespace {\n+namespace x {\n"
        self.assertEqual(misfit(head + "@@ -1,2 +1,2 @@\n" + fits), "")
        self.assertTrue(misfit(head + "@@ -1,2 +1,2 @@\n namespace gravlab {\n-namespace y {\n+namespace x {\n"))
        self.assertTrue(misfit("--- a/no/such.cpp\n+++ b/no/such.cpp\n@@ -1,1 +1,1 @@\n-a\n+b\n"))
        self.assertTrue(misfit(head + "@@ -1,3 +1,2 @@\n" + fits))
        self.assertTrue(misfit(head + "@@ -1,2 +1,3 @@\n" + fits))
        self.assertTrue(misfit(head + "@@ -1 +1 @@\n-namespace gravlab {\n+namespace x {\n"), "which of several equal lines is meant?")
        self.assertEqual(misfit("Mutation: none\n"), "no hunk")
        made = "--- /dev/null\n+++ b/tests/unit/"
        self.assertEqual(misfit(made + "no_such_file.cpp\n@@ -0,0 +1,1 @@\n+a\n"), "")
        self.assertTrue(misfit(made + "names_test.cpp\n@@ -0,0 +1,1 @@\n+a\n"))


def pages():
    tops = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
    return tops + [name for name in files_of("docs") if name.endswith(".md")]


def links_of(page):
    """Files and folders to which a page links."""
    return [target for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page) if "://" not in target]


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        dead = [(name, link) for name in pages() for link in links_of(text_of(name)) if not ((ROOT / name).parent / link).exists()]
        self.assertEqual(dead, [])
        self.assertEqual(links_of("[a](no-such.md), [b](http://x.org), ![c](README.md#part)"), ["no-such.md", "README.md"])

    def test_the_index_names_every_page(self):
        named = {"docs/" + link for link in links_of(text_of("docs/README.md"))} | {"docs/README.md"}
        self.assertEqual([name for name in pages() if name.startswith("docs/") and name not in named], [])

    def test_tests_that_reliability_names_exist(self):
        """In backquotes: "Suite.test", "Suite.*", "Suite.Begins...", "Instance/Suite.test/*". Each must begin a test's name."""
        code = [name for name in sources_of("tests") if name.endswith((".cpp", ".cu", ".h"))]
        tests = {f"{suite}.{name}" for file in code for suite, name in
                 re.findall(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", text_of(file))}
        scripts = "".join(text_of(name) for name in files_of("tests") if name.endswith(".py"))
        tests |= {f"{suite}.{name}" for suite, body in re.findall(r"^class (\w+)\([\w.]+\):\n(.*?)(?=^\S|\Z)", scripts, re.M | re.S)
                  for name in re.findall(r"def (test_\w+)", body)}
        page = text_of("docs/reliability.md")
        named = re.findall(r"`(?:\w+/)?([A-Z]\w+)\.(\w*)(\*|\.\.\.|/\*)?`", page)
        self.assertGreater(len(named), 60)
        for suite, name, end in named:
            whole = f"{suite}.{name}"
            there = any(test.startswith(whole) for test in tests) if end in ("*", "...") else whole in tests
            self.assertTrue(there, whole + " is not in tests/")
        self.assertEqual(len(re.findall(r"\n\| F\d+ [^|]*\|[^|]*\|[^|]*`", page)), 24, "a fault has no test")
        self.assertNotIn("Suite.none", tests)


if __name__ == "__main__":
    unittest.main()
