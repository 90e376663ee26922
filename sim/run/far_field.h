// How many bodies a run of a scene has where nobody says: one answer for a scene and a machine.
#pragma once
#include "sim/backends/device_size.h"
#include "sim/scenes/scene.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace gravlab {

/// Bodies that a CPU of so many threads takes where far ones may be taken together. Two cores move 16,384 bodies at the pace
/// of every scene beside drawing in software (20 to 30 ms a step of one core, as long as every pair of 8,192), and twice as
/// many cores twice as many, up to the row's number.
std::size_t farFieldBodies(const FarField& row, int threads);

/// GPUs of about one speed.
struct DeviceClass {
    std::string_view name;
    DeviceSize least;  ///< what a device of the class has at least
    std::size_t bodies;
};
/// From the largest down; the last one holds for every device.
std::span<const DeviceClass> deviceClasses();
/// The first class that the device reaches.
const DeviceClass& classOf(const DeviceSize& device);
/// Bodies that a GPU takes where far ones may be taken together: its class's number, up to the row's.
std::size_t farFieldBodies(const FarField& row, const DeviceSize& device);

/// The number of bodies of a scene that was asked for without. `farField`: far bodies may be taken together.
std::size_t usualBodies(const Scene& scene, const BackendRow& row, const BackendOptions& options, bool farField);
/// Whether any machine would start that scene with so many.
bool areUsualBodies(const Scene& scene, std::size_t bodies);

}  // namespace gravlab
