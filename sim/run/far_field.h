// Default number of bodies of a run of a scene: one answer for a scene and a machine.
#pragma once
#include "sim/backends/devices.h"
#include "sim/scenes/scene.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace gravlab {

/// Bodies for a CPU of `threads` threads where far ones may be combined. Two cores move 16,384 bodies at the pace of every
/// scene beside drawing in software. A step then takes one core 20 to 30 ms, as long as every pair of 8,192 bodies does.
/// Twice as many cores move twice as many, up to the row's number.
std::size_t farFieldBodies(const FarField& row, int threads);

/// GPUs of about the same speed.
struct DeviceClass {
    std::string_view name;
    DeviceSize least;  ///< least size of a device of the class
    std::size_t bodies;
};
/// From the largest down; the last one includes every device.
std::span<const DeviceClass> deviceClasses();
/// The first class whose least size the device reaches.
const DeviceClass& classOf(const DeviceSize& device);
/// Bodies for a GPU where far ones may be combined: its class's number, up to the row's.
std::size_t farFieldBodies(const FarField& row, const DeviceSize& device);

/// The number of bodies of a scene without a requested number. `farField`: far bodies may be combined.
std::size_t usualBodies(const Scene& scene, const BackendRow& row, const BackendOptions& options, bool farField);
/// Whether some machine would start that scene with `bodies` bodies by default.
bool areUsualBodies(const Scene& scene, std::size_t bodies);

}  // namespace gravlab
