// The readers and writers behind the format table, one pair per file, and the reader of tables of bonds.
#pragma once
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/force_term.h"
#include "sim/io/snapshot.h"

namespace gravlab {

// Limits of the data of a checkpoint beside the bodies; a reader refuses more.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;
// All force terms twice (the terms, and the state of their methods), plus 128 arrays of the integrator and the methods.
inline constexpr std::size_t kMostStateArrays = 2 * (kMostTerms + 1) * (kMostTermArrays + 1) + 128;
inline constexpr std::size_t kMostStateNameBytes = 64;
bool goodStateName(std::string_view name);

/// Names of bodies as text, and back; the result is empty when the text is invalid.
std::string namesText(const BodyNames& names);
std::optional<BodyNames> namesFrom(std::string_view text);
/// The length limit of this text.
inline constexpr std::size_t kMostNamesBytes = BodyNames::kMostBodies * (2 * BodyNames::kMostBytes + 16);

bool looksLikeTable(const Source& source);
Snapshot readTable(Source& source, const ReadOptions& options);
void writeCsv(ByteSink& sink, const Snapshot& snapshot);
void writeTab(ByteSink& sink, const Snapshot& snapshot);
/// The cells of a line, as tables have them; a blank separates at blanks.
void splitCells(std::string_view line, char separator, std::vector<std::string_view>& cells);
/// The number of a cell; false when it has none.
bool parsedCell(std::string_view cell, double& value);

bool looksLikeElements(const Source& source);
Snapshot readElements(Source& source, const ReadOptions& options);
bool looksLikeHorizons(const Source& source);
Snapshot readHorizons(Source& source, const ReadOptions& options);

bool looksLikeTipsy(const Source& source);
Snapshot readTipsy(Source& source, const ReadOptions& options);
void writeTipsy(ByteSink& sink, const Snapshot& snapshot);

bool looksLikeHdf5(const Source& source);
Reason hdf5Unavailable();
Snapshot readGadget(Source& source, const ReadOptions& options);
void writeGadget(ByteSink& sink, const Snapshot& snapshot);

bool looksLikeGadgetBinary(const Source& source);
Snapshot readGadgetBinary(Source& source, const ReadOptions& options);
void writeGadget1(ByteSink& sink, const Snapshot& snapshot);
void writeGadget2(ByteSink& sink, const Snapshot& snapshot);

bool looksLikeNpy(const Source& source);
Snapshot readNpy(Source& source, const ReadOptions& options);

bool looksLikePly(const Source& source);
void writePly(ByteSink& sink, const Snapshot& snapshot);

/// Reads bonds between the bodies of these ids, in units of the run. Throws InputError naming the file and the line for a
/// bond that is none, joins a missing body, or exists already.
std::shared_ptr<const Bonds> readBonds(const std::filesystem::path& path, std::span<const std::uint32_t> ids);
/// The same on memory; `name` is for messages.
std::shared_ptr<const Bonds> decodeBonds(std::string_view bytes, const std::string& name,
                                         std::span<const std::uint32_t> ids);

}  // namespace gravlab
