// The text of an own kernel, and NVRTC, which is opened by its name so that nothing depends on it.
#include "sim/own/own_kernel.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/own/checked_functions.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <type_traits>

namespace gravlab {
namespace {

constexpr std::string_view kMark = "// gravlab:";
constexpr std::string_view kOurs = "gravlab-contract";  ///< file name of the code that is compiled after the text

/// The few functions of NVRTC that are needed: https://docs.nvidia.com/cuda/nvrtc.
class Compiler {
public:
    using Program = void*;
    static const Compiler& instance() {
        static const Compiler loaded;
        return loaded;
    }
    bool there() const { return library_ != nullptr; }

    int (*version)(int*, int*) = nullptr;
    int (*architectureCount)(int*) = nullptr;
    int (*architectures)(int*) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*logSize)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*binarySize)(Program, std::size_t*) = nullptr;
    int (*binary)(Program, char*) = nullptr;
    int (*ptxSize)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;

private:
    Compiler() {
        void* library = nullptr;
        for (const char* folder : {"", "/usr/local/cuda/lib64/"})
            for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"})
                if (!library) library = dlopen((std::string(folder) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) return;
        bool all = true;
        const auto load = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            all = all && function;
        };
        load(version, "nvrtcVersion");
        load(architectureCount, "nvrtcGetNumSupportedArchs");
        load(architectures, "nvrtcGetSupportedArchs");
        load(create, "nvrtcCreateProgram");
        load(destroy, "nvrtcDestroyProgram");
        load(compile, "nvrtcCompileProgram");
        load(logSize, "nvrtcGetProgramLogSize");
        load(log, "nvrtcGetProgramLog");
        load(binarySize, "nvrtcGetCUBINSize");
        load(binary, "nvrtcGetCUBIN");
        load(ptxSize, "nvrtcGetPTXSize");
        load(ptx, "nvrtcGetPTX");
        if (all) library_ = library;
    }
    void* library_ = nullptr;
};

/// The state of NVRTC for one text.
class Program {
public:
    Program(const Compiler& compiler, const std::string& source, const std::string& name) : compiler_(compiler) {
        if (compiler.create(&program_, source.c_str(), name.c_str(), 0, nullptr, nullptr) != 0)
            throw InputError(name + " cannot be given to the compiler");
    }
    ~Program() { compiler_.destroy(&program_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    bool compile(const std::vector<std::string>& options) {
        std::vector<const char*> words;
        for (const std::string& option : options) words.push_back(option.c_str());
        return compiler_.compile(program_, static_cast<int>(words.size()), words.data()) == 0;
    }
    std::string log() const { return taken(compiler_.logSize, compiler_.log, true); }
    std::string image(bool binary) const {
        return binary ? taken(compiler_.binarySize, compiler_.binary, false)
                      : taken(compiler_.ptxSize, compiler_.ptx, false);
    }

private:
    /// `text`: without the 0 at its end.
    std::string taken(int (*size)(Compiler::Program, std::size_t*), int (*get)(Compiler::Program, char*), bool text) const {
        std::size_t bytes = 0;
        if (size(program_, &bytes) != 0 || bytes == 0) return {};
        std::string all(bytes, '\0');
        if (get(program_, all.data()) != 0) return {};
        if (text) all.resize(std::min(all.size(), all.find('\0')));
        return all;
    }
    const Compiler& compiler_;
    Compiler::Program program_ = nullptr;
};

/// Code that makes the compiler check the contract, so that a wrong entry is an error with a sentence.
std::string contract() {
    return "\n#line 1 \"" + std::string(kOurs) +
           "\"\nnamespace gravlab { template <class A, class B> struct Same { static constexpr bool value = false; };\n"
           "template <class A> struct Same<A, A> { static constexpr bool value = true; }; }\n"
           "static_assert(gravlab::Same<decltype(&force), void (*)(const float4*, float4*, int, float)>::value,\n"
           "\"the entry must be: extern \\\"C\\\" __global__ void force(const float4* bodies, float4* accelerations, int n, "
           "float softening_squared)\");\n";
}

/// Replaces messages about the contract's lines by words of the contract.
void translate(std::vector<CompilerMessage>& messages, std::string_view log) {
    if (log.find(std::string(kOurs) + "(") == std::string_view::npos) return;
    for (CompilerMessage& message : messages) {
        if (message.text.find("\"force\" is undefined") != std::string::npos) {
            message.line = 0;
            message.text =
                "there is no entry: write extern \"C\" __global__ void force(const float4* bodies, float4* "
                "accelerations, int n, float softening_squared)";
        } else if (const std::size_t at = message.text.find("the entry must be: "); at != std::string::npos) {
            message.line = 0;
            message.text = message.text.substr(at);
            while (message.text.ends_with('"')) message.text.pop_back();
        }
    }
    const auto said = std::ranges::find_if(messages, [](const CompilerMessage& m) { return m.line == 0; });
    if (said == messages.end()) return;
    // Further errors of the contract's lines follow from this one.
    const CompilerMessage kept = *said;
    std::erase_if(messages, [](const CompilerMessage& m) { return m.line == 0; });
    if (std::ranges::none_of(messages, [](const CompilerMessage& m) { return m.error; })) messages.push_back(kept);
}

}  // namespace

OwnLaunch ownLaunch(std::string_view text, const std::string& file) {
    OwnLaunch launch;
    struct Word {
        std::string_view name;
        int OwnLaunch::*at;
        int most;
    };
    constexpr Word kWords[] = {{"block", &OwnLaunch::block, 1024},
                               {"bodies", &OwnLaunch::bodies, 64},
                               {"split", &OwnLaunch::split, 1024},
                               {"unroll", &OwnLaunch::unroll, 256}};
    constexpr std::size_t kMostShared = 48 * 1024;  // every device has this without opting in
    std::size_t number = 0;
    for (std::string_view line : linesOf(text)) {
        ++number;
        line = trimmed(line);
        if (!line.starts_with(kMark)) continue;
        line.remove_prefix(kMark.size());
        while (!(line = trimmed(line)).empty()) {
            const std::string_view word = line.substr(0, line.find_first_of(" \t"));
            line.remove_prefix(word.size());
            const KeyValue pair = keyValue(word);
            const std::string where = file + ":" + std::to_string(number) + ": ";
            const auto known = std::ranges::find(kWords, pair.key, &Word::name);
            if (pair.key == "from") {
                launch.from = std::string(pair.value);
                continue;
            }
            const bool shared = pair.key == "shared";
            if (!shared && known == std::end(kWords))
                throw InputError(where + unknownName("word of a '// gravlab:' line", pair.key,
                                                     {"block", "bodies", "split", "unroll", "shared", "from"}));
            const std::size_t least = shared ? 0 : 1, most = shared ? kMostShared : static_cast<std::size_t>(known->most);
            const std::optional<std::size_t> value = numberFrom<std::size_t>(pair.value);
            if (!value || *value < least || *value > most)
                throw InputError(where + std::string(pair.key) + " '" + std::string(pair.value) +
                                 "': expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
            if (shared)
                launch.shared = *value;
            else
                launch.*known->at = static_cast<int>(*value);
        }
    }
    return launch;
}

Reason whyNoCompiler() {
    if (Compiler::instance().there()) return {};
    return "own kernels are compiled by NVRTC, which is not here: install the CUDA toolkit's package of it "
           "(cuda-nvrtc-13-0, "
           "or libnvrtc12 of the distribution), or name the folder of libnvrtc.so.13 in LD_LIBRARY_PATH";
}

std::vector<CompilerMessage> compilerMessages(std::string_view log) {
    std::vector<CompilerMessage> messages;
    std::vector<std::string> below;  // indented lines: the rest of the message, and last the source line with a ^
    const auto close = [&] {
        if (!messages.empty())
            for (const std::string& more : below) messages.back().text += " " + more;
        below.clear();
    };
    for (const std::string_view raw : linesOf(log)) {
        const std::string_view line = trimmed(raw);
        const std::size_t mark = line.find("): ");
        const std::string_view said = mark == std::string_view::npos ? std::string_view() : line.substr(mark + 3);
        const bool error = said.starts_with("error") || said.starts_with("catastrophic error");
        if (error || said.starts_with("warning")) {
            close();
            const std::size_t from = line.rfind('(', mark);
            int number = 0;
            if (from != std::string_view::npos) std::from_chars(line.data() + from + 1, line.data() + mark, number);
            const std::size_t colon = said.find(": ");
            const bool ours = line.substr(0, std::min(from, line.size())).find(kOurs) != std::string_view::npos;
            messages.push_back({ours ? 0 : number, error,
                                std::string(colon == std::string_view::npos ? said : trimmed(said.substr(colon + 2)))});
        } else if (line.starts_with("nvrtc: error")) {
            close();
            messages.push_back({0, true, std::string(line.substr(line.find(": ", 7) + 2))});
        } else if (line.starts_with('^')) {
            if (!below.empty()) below.pop_back();
            close();
        } else if (line.empty()) {
            close();
        } else if (raw.starts_with(" ")) {
            below.emplace_back(line);
        }
    }
    close();
    return messages;
}

std::string messagesText(const std::vector<CompilerMessage>& messages, const std::string& file) {
    std::string text;
    for (const CompilerMessage& message : messages)
        text += file + (message.line > 0 ? ":" + std::to_string(message.line) : std::string()) + ": " +
                (message.error ? "error: " : "warning: ") + message.text + "\n";
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

namespace {

/// Target of the compilation, among those that the compiler knows.
struct Architecture {
    int number = 0;      ///< 90
    bool exact = false;  ///< that of the device; else the driver compiles from there
};

Architecture architectureFor(const Compiler& compiler, int major, int minor) {
    int count = 0;
    std::vector<int> known;
    if (compiler.architectureCount(&count) == 0 && count > 0) {
        known.resize(static_cast<std::size_t>(count));
        if (compiler.architectures(known.data()) != 0) known.clear();
    }
    const int device = 10 * major + minor;
    const bool exact = std::ranges::find(known, device) != known.end();
    int wanted = exact ? device : 0;
    // A compiler older than the device gives PTX, which the driver compiles further.
    for (const int one : known)
        if (one <= device) wanted = std::max(wanted, one);
    return {wanted > 0 ? wanted : device, exact};
}

std::vector<std::string> optionsFor(const std::string& architecture, const OwnLaunch& launch) {
    const auto define = [](const char* name, int value) { return std::string("-D") + name + "=" + std::to_string(value); };
    return {
        "--gpu-architecture=" + architecture,
        "--std=c++17",
        "--ftz=true",  // as for the rows: 1/sqrt is one instruction then
        define("BLOCK", launch.block),
        define("BODIES", launch.bodies),
        define("SPLIT", launch.split),
        define("UNROLL", launch.unroll),
    };
}

/// Throws where the text includes a path that exists and is no file: the compiler would wait at a FIFO for ever.
void requireFiles(std::string_view text, const std::string& file) {
    std::size_t number = 0;
    for (std::string_view line : linesOf(text)) {
        ++number;
        line = trimmed(line);
        if (!line.starts_with('#') || !(line = trimmed(line.substr(1))).starts_with("include")) continue;
        line = trimmed(line.substr(std::string_view("include").size()));
        if (!line.starts_with('"') && !line.starts_with('<')) continue;
        const std::string name(line.substr(1, line.find_first_of("\">", 1) - 1));
        for (const std::filesystem::path& folder : {std::filesystem::path(), std::filesystem::path(file).parent_path()}) {
            std::error_code none;
            const std::filesystem::file_status there = std::filesystem::status(folder / name, none);
            if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
                throw InputError(file + ":" + std::to_string(number) + ": error: " + printable(name) +
                                 " is no file that can be included");
        }
    }
}

const Compiler& compilerOrThrow() {
    if (Reason reason = whyNoCompiler(); !reason.empty()) throw NoDeviceError(reason);
    return Compiler::instance();
}

}  // namespace

OwnMachineCode compileOwn(std::string_view text, const std::string& file, int major, int minor) {
    const OwnLaunch launch = ownLaunch(text, file);
    const Compiler& compiler = compilerOrThrow();
    requireFiles(text, file);
    const auto begin = std::chrono::steady_clock::now();
    const Architecture architecture = architectureFor(compiler, major, minor);
    OwnMachineCode code;
    code.architecture = (architecture.exact ? "sm_" : "compute_") + std::to_string(architecture.number);
    Program program(compiler, std::string(text) + contract(), file);
    const bool compiled = program.compile(optionsFor(code.architecture, launch));
    const std::string log = program.log();
    code.messages = compilerMessages(log);
    translate(code.messages, log);
    if (compiled)
        code.image = program.image(architecture.exact);
    else if (std::ranges::none_of(code.messages, [](const CompilerMessage& m) { return m.error; }))
        code.messages.push_back({0, true, log.empty() ? "the compiler gave up without a word" : printable(log)});
    code.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return code;
}

CheckedCode compileChecked(std::string_view text, const std::string& file, int major, int minor) {
    const OwnLaunch launch = ownLaunch(text, file);
    const Compiler& compiler = compilerOrThrow();
    const Architecture architecture = architectureFor(compiler, major, minor);
    std::vector<std::string> options = optionsFor("compute_" + std::to_string(architecture.number), launch);
    options.push_back("--generate-line-info");
    const std::string name = "gravlab-own-text.cu";
    Program program(compiler, std::string(text) + contract(), name);
    if (!program.compile(options)) throw InputError(file + ": " + printable(program.log()));
    std::string ptx = program.image(false);
    ptx.resize(std::min(ptx.size(), ptx.find('\0')));
    return checkedAddresses(ptx, {.block = launch.block, .shared = launch.shared, .file = name});
}

bool refusesUnchecked(OwnTrialReply& reply, const CheckedCode& checked, const std::string& file) {
    if (!checked.ptx.empty()) return false;
    reply.outcome = OwnOutcome::badText;
    reply.code.messages.push_back(
        {checked.line, true, "it " + checked.refusal + ": what that touches cannot be checked, so it is not run"});
    reply.sentence = messagesText({reply.code.messages.back()}, file);
    return true;
}

void tryOwnKernel(const OwnTrialRequest& request, const OwnReport& report) {
    OwnTrialReply reply;
    try {
        ownLaunch(request.text, request.file);
        reply.outcome = OwnOutcome::noCompiler;
        if (reply.sentence = whyNoCompiler(); !reply.sentence.empty()) return report(reply);
        reply.outcome = OwnOutcome::unfinished;
        const OwnDevice device = ownDevice(request.device);
        reply.stage = "compiling";
        report(reply);
        reply.code = compileOwn(request.text, request.file, device.major, device.minor);
        if (!reply.code.compiled()) {
            reply.outcome = OwnOutcome::badText;
            reply.sentence = messagesText(reply.code.messages, request.file);
        } else if (device.missing.empty()) {
            device.run(request, device, reply, report);
        } else if (!refusesUnchecked(reply, compileChecked(request.text, request.file, device.major, device.minor),
                                     request.file)) {
            reply.outcome = OwnOutcome::noDevice;
            reply.sentence = "it compiles, and cannot be run: " + device.missing;
        }
    } catch (const InputError& error) {
        reply.outcome = OwnOutcome::badText;
        reply.sentence = error.what();
    } catch (const Error& error) {
        reply.outcome = OwnOutcome::failed;
        reply.sentence = error.what();
    }
    report(reply);
}

}  // namespace gravlab
