// Bonds from a table: i,j,length,stiffness,damping,breaking,law, of which the first four are needed. Rule: every refusal
// names the line, and memory follows the lines that are there, not a number that the file states.
#pragma once
#include "sim/forces/bonds/bonds.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// Reads bonds between the bodies of these ids, in units of the run. Throws InputError naming the file and the line for a
/// bond that is none, joins a missing body, or exists already.
std::shared_ptr<const Bonds> readBonds(const std::filesystem::path& path, std::span<const std::uint32_t> ids);
/// The same on memory; `name` is for messages.
std::shared_ptr<const Bonds> decodeBonds(std::string_view bytes, const std::string& name,
                                         std::span<const std::uint32_t> ids);

}  // namespace gravlab
