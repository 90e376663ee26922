// Fuzzers of everything except importers: settings, the command line, a run and its checkpoints, fp32 against fp64. Rule: as
// in fuzz_targets.h: refused with an Error or accepted and sound; every broken promise aborts.
#pragma once
#include "app/commands/subcommand.h"
#include "app/parameters/parameter.h"
#include "sim/api/errors.h"
#include "sim/core/vertex.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "tests/bodies.h"
#include "tests/fuzz/fuzz_promises.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::fuzz {

/// Settings as TOML text: accepted settings print and parse to themselves.
inline void settings(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> notes;
    try {
        const RunRequest first = parsedSettings({reinterpret_cast<const char*>(data), size}, "fuzz", notes);
        const std::string text = settingsText(first);
        notes.clear();
        RunRequest again = parsedSettings(text, "again", notes);
        require(notes.empty() && settingsText(again) == text, "settings print and parse to themselves");
    } catch (const InputError& error) {
        requirePrintable(error.what());
    }
}

/// The command line: words between zero bytes.
inline void command_line(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> words{"gravlab"};
    std::string word;
    for (std::size_t i = 0; i < size; ++i) {
        if (data[i] != 0) {
            word += static_cast<char>(data[i]);
            continue;
        }
        // Help and version only print; there is nothing to find.
        if (word != "-h" && word != "--help" && word != "--version") words.push_back(word);
        word.clear();
    }
    if (!word.empty()) words.push_back(word);
    if (words.size() > 64) words.resize(64);
    std::vector<const char*> argv;
    for (const std::string& each : words) argv.push_back(each.c_str());
    try {
        const auto command = parseOptions(static_cast<int>(argv.size()), argv.data());
        if (!command) return;
        const StartOptions& o = command->start;
        require(std::isfinite(o.simulation.timeStep.value_or(1)) && std::isfinite(o.simulation.softening.value_or(1)),
                "numbers are finite");
        for (const auto& [path, value] : o.settings) checked(parameter(path), value);
    } catch (const UsageError& error) {
        require(*error.what() != 0, "a refusal is a sentence");
    }
}

/// Bytes as choices.
class Choices {
public:
    Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
    bool more() const { return at_ < size_; }
    unsigned byte() { return at_ < size_ ? data_[at_++] : 0; }
    std::size_t below(std::size_t count) { return byte() % count; }
    template <class Row>
    const Row& oneOf(std::span<const Row> rows) {
        return rows[below(rows.size())];
    }
    template <class Number>
    Number raw() {
        Number number{};
        const std::size_t count = std::min(sizeof number, size_ - at_);
        std::memcpy(&number, data_ + at_, count);
        at_ += count;
        return number;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
};

/// A renderer that draws nothing: it accepts vertices for any picture size, can be rebuilt, and can be made to fail.
class NullRenderer : public VertexSink {
public:
    bool fails = false;  ///< the next open throws, once

    MemorySpace space() const override { return MemorySpace::host; }
    VertexSpan open(std::size_t count, void*) override {
        require(!open_, "a buffer is opened once");
        if (std::exchange(fails, false)) throw DeviceError("the vertex buffer could not be mapped");
        open_ = true;
        back_.assign(count, {0, 0, 0, -1});
        return {back_.data(), back_.size()};
    }
    void close(void*) override {
        require(std::exchange(open_, false), "what was opened is closed");
        for (const ParticleVertex& vertex : back_) require(!(vertex.value < 0), "every vertex is written");
        front_ = back_.size();
    }
    /// A window's new size, or a lost context: the last picture is gone.
    void resize() {
        require(!open_, "no size changes while a buffer is written");
        back_ = {};
        front_ = 0;
    }
    std::size_t drawn() const { return front_; }

private:
    std::vector<ParticleVertex> back_;
    std::size_t front_ = 0;
    bool open_ = false;
};

/// A step whose picture fails is still a step, without traces of the failure: the run equals one that never failed.
inline void failOnce(Simulation& simulation, NullRenderer& renderer) {
    if (simulation.configuration().integrator == "radau15") return;  // the length of its steps is not bounded
    const Snapshot before = checkpointOf(simulation);
    Simulation untouched(startFrom(Snapshot(before), "fuzz").request);
    renderer.fails = true;
    try {
        simulation.advance({.seconds = 1, .steps = 1}, &renderer);
    } catch (const DeviceError&) {
    }
    renderer.fails = false;
    // Steps that ended before the failure are reported by the next call.
    simulation.advance({.seconds = 0, .steps = 0}, nullptr);
    require(simulation.step() == *before.step + 1, "a failed picture costs no step");
    untouched.advance({.seconds = 1, .steps = 1}, nullptr);
    require(testing_support::sameState(simulation.state().bodies, untouched.state().bodies),
            "after a failed picture the run is the same");
}

/// A run under random commands: change a setting, step, save, load the saved file, load it damaged, resize, fail.
inline void stateful(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kMostBodies = 64, kMostOrders = 40;
    Choices choose(data, size);
    Simulation simulation({.scene = "plummer", .bodies = 5, .backend = "reference"});
    NullRenderer renderer;
    std::optional<Snapshot> saved;
    for (std::size_t order = 0; order < kMostOrders && choose.more(); ++order) {
        const Clock before = simulation.clock();
        const RunRequest settingsBefore = simulation.request();
        RunRequest wanted = settingsBefore;
        try {
            switch (choose.below(14)) {
                case 0:
                    wanted.bodies = 1 + choose.below(kMostBodies);
                    break;
                case 1:
                    wanted.seed = choose.byte();
                    break;
                case 2: {
                    const Scene& row = choose.oneOf(sceneTable());
                    wanted.changeScene(row.name);
                    wanted.bodies = row.fixedBodies ? row.fixedBodies : 16;
                    if (row.fixedBodies > kMostBodies) wanted = settingsBefore;
                    break;
                }
                case 3:
                    wanted.changeBackend(choose.below(2) ? "cpu" : "reference");
                    break;
                case 4:
                    wanted.pairs().kernel.kernel = choose.oneOf(kernels()).name;
                    break;
                case 5:
                    wanted.integrator = choose.oneOf(integrators()).name;
                    break;
                case 6:
                    wanted.timeStep = choose.raw<float>();
                    break;
                case 7:
                    wanted.softening = choose.raw<float>();
                    break;
                case 8:
                    simulation.reset();
                    break;
                case 9: {
                    const std::int64_t steps = 1 + static_cast<std::int64_t>(choose.below(4));
                    // An automatic step over 1e30 would not end; the budget limits it.
                    const AdvanceStatus did = simulation.advance({.seconds = 0.002, .steps = steps}, &renderer);
                    require(!did.published || renderer.drawn() == simulation.configuration().bodies, "every body is drawn");
                    require(simulation.step() >= before.step && simulation.step() <= before.step + steps + 1,
                            "steps are counted");
                    break;
                }
                case 10: {
                    const Snapshot now = checkpointOf(simulation);
                    require(now.bodies.size() == simulation.configuration().bodies, "all bodies are saved");
                    saved = now;
                    // Reading HDF5 starts a process, so only one save in eight uses a file.
                    if (choose.below(8) != 0) break;
                    saved = decodeSnapshot(encodeSnapshot(now, "hdf5"), "fuzz");
                    require(testing_support::sameState(saved->bodies, now.bodies), "saved bodies come back to the bit");
                    require(saved->settings == now.settings && saved->step == now.step && saved->state == now.state,
                            "saved settings, step and state come back");
                    break;
                }
                case 11: {
                    if (!saved) break;
                    Snapshot opened = *saved;
                    const std::size_t place = choose.byte(), value = choose.byte();
                    if (value != 0 && !opened.settings.empty())
                        opened.settings[place * opened.settings.size() / 256] = static_cast<char>(value);
                    const std::optional<std::int64_t> step = opened.step;
                    RunRequest offered = startFrom(std::move(opened), "fuzz").request;
                    if (offered.backend == "cuda" || offered.backendOptions.threads > 4) break;
                    offered.backendOptions.threads = 1;
                    simulation.apply(offered);
                    require(simulation.step() == *step, "a run goes on at its step");
                    if (value == 0)
                        require(testing_support::sameState(simulation.state().bodies, saved->bodies),
                                "what is opened is what runs");
                    break;
                }
                case 12:
                    renderer.resize();
                    simulation.publish(renderer);
                    require(renderer.drawn() == simulation.configuration().bodies, "every body is drawn again");
                    break;
                case 13:
                    failOnce(simulation, renderer);
                    break;
            }
            if (!(wanted == settingsBefore)) {
                wanted.backendOptions.threads = 1;
                simulation.apply(wanted);
            }
        } catch (const Error& error) {
            require(error.code() == ExitCode::usage || error.code() == ExitCode::badInput || error.code() == ExitCode::io,
                    "orders are refused, nothing breaks");
            require(simulation.request() == settingsBefore && simulation.step() >= before.step,
                    "a refused order changes nothing");
        }
        const RunConfiguration& now = simulation.configuration();
        require(simulation.backend().size() == now.bodies && now.bodies <= kMostBodies, "the number of bodies is one");
        require(std::isfinite(now.timeStep) && now.timeStep != 0 && now.force.softening >= 0, "numbers stay in range");
    }
}

/// Up to 64 bodies from raw floats: fp32 kernels against fp64, when all numbers are in the promised range.
inline void differential(const std::uint8_t* data, std::size_t size) {
    Choices choose(data, size);
    ParticleSet bodies;
    const double softening = std::ldexp(1.0, -static_cast<int>(choose.below(12)));
    const std::size_t kernelIndex = choose.byte();
    while (choose.more() && bodies.size() < 64) {
        float values[4];
        for (float& value : values) value = choose.raw<float>();
        const auto inRange = [](float value, float most) { return std::isfinite(value) && std::abs(value) <= most; };
        // Larger inputs are for the validator of files and scenes, not for the kernels.
        if (!inRange(values[0], 1e4f) || !inRange(values[1], 1e4f) || !inRange(values[2], 1e4f) || !inRange(values[3], 1e6f))
            continue;
        bodies.position.push_back({values[0], values[1], values[2], std::abs(values[3])});
        bodies.velocity.push_back({0, 0, 0, 1});
        bodies.id.push_back(static_cast<std::uint32_t>(bodies.id.size()));
        bodies.group.push_back(0);
    }
    if (bodies.size() == 0) return;
    std::vector<std::string> names;
    for (const KernelRow& row : kernels())
        if (row.backend == "cpu" && refusal(row, {}).empty()) names.emplace_back(row.name);
    const ForceSettings force{.softening = softening};
    std::vector<Double4> want, got;
    static const std::unique_ptr<Backend> exact = backend("reference").make({});
    static const std::unique_ptr<Backend> tested = backend("cpu").make({.threads = 1});
    exact->configure(force, {});
    exact->load(bodies);
    exact->accelerations(want);
    tested->configure(force, {names[kernelIndex % names.size()], {}});
    tested->load(bodies);
    tested->accelerations(got);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        // Forces that cancel leave the rounding of their terms: the sum of their magnitudes is the scale.
        double scale = 1e-30;
        const Double4& p = bodies.position[i];
        for (const Double4& q : bodies.position) {
            const double x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r2 = x * x + y * y + z * z;
            const double softened = r2 + softening * softening;
            scale += q.w * std::sqrt(r2) / (softened * std::sqrt(softened));
        }
        const double error = std::hypot(got[i].x - want[i].x, got[i].y - want[i].y, got[i].z - want[i].z);
        require(error <= 3e-5 * scale + 1e-30, "fp32 agrees with fp64");
    }
}

}  // namespace gravlab::fuzz
