// Reads Gadget-style HDF5 files of any program, and this program's checkpoints. Rule: compare the sizes that a file states
// with its stored data before allocating, and follow no link or data set out of the file.
#if defined(GRAVLAB_HAS_HDF5)
#include "sim/api/errors.h"
#include "sim/core/value.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"
#include "sim/io/hdf5/gadget.h"
#include "sim/io/hdf5/hdf5_handle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gravlab {
namespace {

// Packed data may be smaller than its content; beyond this ratio a small file could claim all memory.
constexpr std::uint64_t kMostPacked = 256;
constexpr std::uint64_t kSmallChunk = std::uint64_t{1} << 20;

/// Where programs state their units, in cm, g and cm/s or s.
struct UnitNames {
    const char* group;
    const char* length;
    const char* mass;
    const char* velocity;  ///< null: `time` is set
    const char* time;
};
constexpr UnitNames kUnitNames[] = {
    {"Header", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", nullptr},
    {"Parameters", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", nullptr},
    {"Units", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", nullptr},
    {"Units", "Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", nullptr, "Unit time in cgs (U_t)"},
};

/// A data set that agrees with the file, ready to be read in blocks of rows.
struct CheckedSet {
    Hdf5Handle set;
    std::size_t columns = 1;
    bool hasSign = false;
    bool narrow = false;  ///< its numbers fit floats, or 32 bits without a sign
    bool valid() const { return set.valid(); }
};

enum class Kind { number, whole, text };

class GadgetReader {
public:
    GadgetReader(const Source& source, const ReadOptions& options, bool sealed)
        : name_(source.name()), options_(options), fileBytes_(*source.size()) {
        open(source);
        own_ = child(file_, gadget::kOwnGroup, false);
        if (own_.valid() && wholes(own_, "Sealed").value_or(Wholes{0}).front() != 0 && !sealed)
            fail("the seal at its end is missing: it is cut short, or another program has changed it");
        if (own_.valid() && wholes(own_, "Version").value_or(Wholes{0}).front() != gadget::kOwnVersion)
            fail("it is a checkpoint of another version of gravlab");
    }

    void read(gadget::Receiver& to) {
        gadget::Preface preface;
        readHeader(preface);
        readOwn(preface.snapshot);
        readBonds(preface.snapshot);
        preface.own = own_.valid();
        if (!preface.own) preface.units = statedUnits(preface.snapshot);
        takeSurfaces(preface);
        preface.hasIds = preface.hasVelocities = true;
        for (const Type& type : types_) {
            preface.hasIds &= type.ids.valid();
            preface.hasVelocities &= type.velocities.valid();
            preface.hasGroups |= type.group.valid() || !preface.own;
        }
        to.preface(preface);
        preface = {};
        for (const Type& type : types_) readType(type, to);
    }

private:
    using Wholes = std::vector<std::int64_t>;

    /// The data sets of the bodies of one type.
    struct Type {
        std::size_t number = 0;
        std::uint64_t count = 0;
        double tableMass = 0;
        CheckedSet coordinates, velocities, masses, ids, group, response;
        std::string path() const { return "PartType" + std::to_string(number); }
    };

    [[noreturn]] void fail(const std::string& text) const { throw InputError(name_ + ": " + text); }
    [[noreturn]] void failLibrary(const std::string& what) const { fail(what + ": " + hdf5Reason()); }

    void open(const Source& source) {
        // A file may name filters that the library would load from folders of the environment.
        H5PLset_loading_state(0);
        const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        if (!access.valid()) failLibrary("HDF5 does not start");
#if H5_VERSION_GE(1, 10, 7)
        // Locks fail on many network disks and protect nothing here, because files are replaced as a whole.
        H5Pset_file_locking(access, false, true);
#endif
        std::string path = source.openName().string();
        if (path.empty()) {
            const std::string_view bytes = source.bytes();
            if (bytes.empty()) fail("HDF5 cannot come through a pipe; give the file's name");
            // The library copies the bytes; its interface lacks the const.
            if (H5Pset_fapl_core(access, std::size_t{1} << 20, 0) < 0 ||
                H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size()) < 0)
                failLibrary("HDF5 cannot read from memory");
            path = "memory.hdf5";
        }
        file_ = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose};
        if (!file_.valid()) failLibrary("not a readable HDF5 file (cut short or damaged?)");
        // Read the same file that was checked, even when only its name leads to it.
        void* handle = nullptr;
        if (!source.path().empty() && H5Fget_vfd_handle(file_, access, &handle) >= 0 && handle != nullptr &&
            !source.isSame(*static_cast<const int*>(handle)))
            fail("another file replaced it while it was read");
    }

    /// True when `at` has a hard link of that name. Soft and external links could lead anywhere.
    bool hasLink(hid_t at, const char* name) const {
        if (H5Lexists(at, name, H5P_DEFAULT) <= 0) return false;
        H5L_info_t info;
        if (H5Lget_info(at, name, &info, H5P_DEFAULT) < 0) failLibrary(std::string(name) + " cannot be examined");
        if (info.type != H5L_TYPE_HARD) fail(std::string(name) + " is a link to another place, which is not followed");
        return true;
    }

    Hdf5Handle child(hid_t at, const char* name, bool needed) const {
        if (!hasLink(at, name)) {
            if (needed) fail(std::string("it has no group ") + name + ": not Gadget-style HDF5");
            return {};
        }
        Hdf5Handle group(H5Gopen2(at, name, H5P_DEFAULT), H5Gclose);
        if (!group.valid()) failLibrary(std::string("the group ") + name + " cannot be opened");
        return group;
    }

    template <class Number>
    std::optional<std::vector<Number>> attribute(hid_t at, const char* name, hid_t memoryType) const {
        if (H5Aexists(at, name) <= 0) return std::nullopt;
        const auto bad = [&] { failLibrary(std::string("the attribute ") + name + " cannot be read"); };
        const Hdf5Handle attribute(H5Aopen(at, name, H5P_DEFAULT), H5Aclose);
        if (!attribute.valid()) bad();
        const Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
        const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
        if (!type.valid() || !space.valid()) bad();
        const H5T_class_t kind = H5Tget_class(type);
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > 64)
            fail(std::string("the attribute ") + name + " is no number");
        std::vector<Number> values(static_cast<std::size_t>(count));
        if (H5Aread(attribute, memoryType, values.data()) < 0) bad();
        return values;
    }
    /// Whole numbers, in any storage type; never rounded and never clipped.
    std::optional<Wholes> wholes(hid_t at, const char* name) const {
        const auto unsignedOnes = attribute<std::uint64_t>(at, name, H5T_NATIVE_UINT64);
        if (!unsignedOnes) return std::nullopt;
        const auto signedOnes = *attribute<std::int64_t>(at, name, H5T_NATIVE_INT64);
        const auto real = *attribute<double>(at, name, H5T_NATIVE_DOUBLE);
        for (std::size_t i = 0; i < signedOnes.size(); ++i) {
            // The library clips: if the signed and the unsigned reading differ, the number was below 0 or above 2^63.
            const bool clipped = signedOnes[i] >= 0 && static_cast<std::uint64_t>(signedOnes[i]) != (*unsignedOnes)[i];
            if (clipped || !(real[i] == static_cast<double>(signedOnes[i])))
                fail(std::string("the attribute ") + name + " is no whole number that can be counted with");
        }
        return signedOnes;
    }
    std::optional<double> number(hid_t at, const char* name) const {
        const auto values = attribute<double>(at, name, H5T_NATIVE_DOUBLE);
        if (!values) return std::nullopt;
        if (!std::isfinite(values->front())) fail(std::string("the attribute ") + name + " is not a finite number");
        return values->front();
    }

    /// Opens a data set and compares its shape, type and storage with the file. Empty when it does not exist.
    /// `alike`: blocks of one value may be left out.
    CheckedSet open(hid_t at, const std::string& place, const char* name, std::uint64_t rows, std::size_t columns, Kind kind,
                    bool alike = false) const {
        if (!hasLink(at, name)) return {};
        const std::string path = place + "/" + name;
        CheckedSet checked{.set = {H5Dopen2(at, name, H5P_DEFAULT), H5Dclose}, .columns = columns};
        if (!checked.valid()) failLibrary(path + " cannot be opened");
        const Hdf5Handle space(H5Dget_space(checked.set), H5Sclose);
        const Hdf5Handle type(H5Dget_type(checked.set), H5Tclose);
        if (!space.valid() || !type.valid()) failLibrary(path + " cannot be understood");
        const H5T_class_t kindOf = H5Tget_class(type);
        const bool numeric = kindOf == H5T_FLOAT || kindOf == H5T_INTEGER;
        if (kind == Kind::number && !numeric) fail(path + " does not hold numbers");
        if (kind == Kind::whole && kindOf != H5T_INTEGER) fail(path + " does not hold whole numbers");
        checked.hasSign = kindOf == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
        const std::size_t width = H5Tget_size(type);
        if (width == 0 || width > 16) fail(path + " has numbers of " + std::to_string(width) + " bytes");
        checked.narrow = width <= 4 && (kind == Kind::whole ? !checked.hasSign : kindOf == H5T_FLOAT);

        hsize_t extent[3] = {0, 0, 0};
        const int rank = H5Sget_simple_extent_ndims(space);
        if (rank >= 1 && rank <= 2) H5Sget_simple_extent_dims(space, extent, nullptr);
        const bool fits = extent[0] == rows &&
                          (columns == 1 ? rank == 1 || (rank == 2 && extent[1] == 1) : rank == 2 && extent[1] == columns);
        if (!fits)
            fail(path + " is not " + std::to_string(rows) + " rows of " + std::to_string(columns) + ", as the header says");
        checkStorage(checked.set, path, rows, columns * width, alike);
        return checked;
    }

    void checkStorage(hid_t set, const std::string& path, std::uint64_t rows, std::size_t rowBytes,
                      bool alike = false) const {
        if (rows == 0) return;
        if (rows > std::numeric_limits<std::uint64_t>::max() / rowBytes)
            fail(path + " claims more bytes than can be counted");
        const std::uint64_t needed = rows * rowBytes;
        const Hdf5Handle layout(H5Dget_create_plist(set), H5Pclose);
        if (!layout.valid()) failLibrary(path + " cannot be understood");
        const std::uint64_t stored = H5Dget_storage_size(set);
        const auto claim = [&] {
            return path + " claims " + std::to_string(needed) + " bytes, but the file stores only " + std::to_string(stored);
        };
        switch (H5Pget_layout(layout)) {
            case H5D_COMPACT:
                if (stored < needed) fail(claim());
                return;
            case H5D_CONTIGUOUS: {
                if (H5Pget_external_count(layout) != 0) fail(path + " lies in another file, which is not followed");
                const haddr_t at = H5Dget_offset(set);
                if (at == HADDR_UNDEF || stored < needed) fail(claim());
                if (at > fileBytes_ || needed > fileBytes_ - at)
                    fail(path + " reaches beyond the end of the file: cut short?");
                return;
            }
            case H5D_CHUNKED: {
                if (stored > fileBytes_ || (!alike && needed / kMostPacked > stored)) fail(claim());
                hsize_t chunk[32];
                const int rank = H5Pget_chunk(layout, 32, chunk);
                std::uint64_t chunkRows = rank >= 1 ? chunk[0] : 0;
                for (int axis = 1; axis < rank; ++axis)
                    if (__builtin_mul_overflow(chunkRows, chunk[axis], &chunkRows))
                        fail(path + " has chunks of absurd size");
                if (chunkRows == 0 || chunkRows > std::max(kSmallChunk, 2 * needed))
                    fail(path + " has chunks of absurd size");
                return;
            }
            default:
                fail(path + " is stored in a way that is not read (virtual?)");
        }
    }

    void readRows(const CheckedSet& from, hid_t memoryType, std::uint64_t start, std::size_t count, void* to) const {
        const Hdf5Handle space(H5Dget_space(from.set), H5Sclose);
        const hsize_t first[2] = {start, 0}, extent[2] = {count, from.columns}, flat[1] = {count * from.columns};
        const Hdf5Handle memory(H5Screate_simple(1, flat, nullptr), H5Sclose);
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, extent, nullptr) < 0 ||
            H5Dread(from.set, memoryType, memory, space, H5P_DEFAULT, to) < 0)
            failLibrary("rows " + std::to_string(start) + " and on cannot be read");
    }

    std::string text(hid_t at, const char* name, std::size_t most = kMostTextBytes) const {
        if (!hasLink(at, name)) return {};
        const Hdf5Handle set(H5Dopen2(at, name, H5P_DEFAULT), H5Dclose);
        if (!set.valid()) failLibrary(std::string(name) + " cannot be opened");
        const Hdf5Handle type(H5Dget_type(set), H5Tclose);
        const Hdf5Handle space(H5Dget_space(set), H5Sclose);
        if (!type.valid() || !space.valid() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
            H5Sget_simple_extent_npoints(space) != 1)
            fail(std::string(name) + " is no text");
        const std::size_t bytes = H5Tget_size(type);
        if (bytes == 0 || bytes > most) fail(std::string(name) + " is too long");
        checkStorage(set, name, 1, bytes);
        std::string value(bytes, '\0');
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0)
            failLibrary(std::string(name) + " cannot be read");
        return value;
    }

    void readHeader(gadget::Preface& preface) {
        Snapshot& snapshot = preface.snapshot;
        const Hdf5Handle header = child(file_, "Header", true);
        const auto counts = wholes(header, "NumPart_ThisFile");
        if (!counts || counts->size() > gadget::kTypes + 2)
            fail("its header has no NumPart_ThisFile: not Gadget-style HDF5");
        const auto masses = attribute<double>(header, "MassTable", H5T_NATIVE_DOUBLE);
        takeParts(header, *counts, preface);
        snapshot.time = number(header, "Time");
        const Hdf5Handle parameters = child(file_, "Parameters", false);  // of GADGET-4
        const auto stated = number(header, "HubbleParam");
        const double hubble = stated ? *stated : parameters.valid() ? number(parameters, "HubbleParam").value_or(1) : 1;
        if (hubble < 0) fail("its HubbleParam is below 0");
        if (hubble > 0) preface.hubble = hubble;
        const std::optional<double> redshift = number(header, "Redshift");
        if (redshift && *redshift != 0)
            snapshot.notes.push_back("a cosmological snapshot: comoving lengths and velocities are not converted");
        std::uint64_t total = 0;
        for (std::size_t type = 0; type < counts->size(); ++type) {
            const std::int64_t count = (*counts)[type];
            if (count < 0) fail("NumPart_ThisFile is negative");
            if (count == 0) continue;
            total += static_cast<std::uint64_t>(count);
            // Six counts below 2^63 could overflow, so compare each partial sum with the limit.
            if (static_cast<std::uint64_t>(count) > options_.maxBodies || total > options_.maxBodies)
                fail("holds more than the " + std::to_string(options_.maxBodies) + " bodies allowed");
            Type next;
            next.number = type;
            next.count = static_cast<std::uint64_t>(count);
            next.tableMass = masses && type < masses->size() ? (*masses)[type] : 0;
            openType(next);
            if (next.tableMass != 0 && next.masses.valid() && !hasTableMass(next))
                snapshot.notes.push_back(
                    next.path() + " has Masses beside another mass in the MassTable of the header: its Masses are used");
            types_.push_back(std::move(next));
        }
        preface.bodies = total;
    }

    /// One file of several must never pass for the whole snapshot.
    void takeParts(hid_t header, const Wholes& counts, gadget::Preface& preface) const {
        const std::int64_t files = std::ranges::max(wholes(header, "NumFilesPerSnapshot").value_or(Wholes{1}));
        const Wholes total = wholes(header, "NumPart_Total").value_or(Wholes{});
        const Wholes high = wholes(header, "NumPart_Total_HighWord").value_or(Wholes{});
        if (files > static_cast<std::int64_t>(gadget::kMostFiles))
            fail("it says that it is one of " + std::to_string(files) + " files");
        preface.files = static_cast<std::uint64_t>(std::max<std::int64_t>(files, 1));
        bool part = preface.files > 1;
        for (std::size_t type = 0; type < std::min(counts.size(), total.size()); ++type) {
            // The counts of all files are in two words of 32 bits; some programs write 64 bits at once.
            const std::int64_t above = type < high.size() && total[type] >> 32 == 0 ? high[type] : 0;
            if (total[type] < 0 || above < 0 || above >> 31 != 0) fail("NumPart_Total is no count");
            const std::int64_t all = total[type] + (above << 32);
            part = part || all > counts[type];
            preface.whole += static_cast<std::uint64_t>(all);
        }
        if (!part) return;
        if (own_.valid()) fail("it claims to be one of several files, which a checkpoint never is");
        if (preface.files == 1)
            fail("by its counts it is one of several files of a snapshot, but it claims to be the only one");
        if (total.size() < counts.size()) fail("it is one of several files, and its header lacks NumPart_Total");
    }

    void openType(Type& type) {
        const std::string path = type.path();
        const Hdf5Handle group = child(file_, path.c_str(), true);
        type.coordinates = open(group, path, "Coordinates", type.count, 3, Kind::number);
        if (!type.coordinates.valid()) fail(path + " has no Coordinates");
        type.velocities = open(group, path, "Velocities", type.count, 3, Kind::number);
        type.masses = open(group, path, "Masses", type.count, 1, Kind::number, true);
        if (!type.masses.valid() && !(type.tableMass > 0))
            fail(path + " has no Masses, and the MassTable of the header has none for it");
        type.ids = open(group, path, "ParticleIDs", type.count, 1, Kind::whole);
        if (!own_.valid()) return;
        type.group = open(group, path, "Group", type.count, 1, Kind::whole, true);
        type.response = open(group, path, "Response", type.count, 1, Kind::number, true);
    }

    /// Whether all its first masses equal the one in the table.
    bool hasTableMass(const Type& type) const {
        std::vector<double> masses(std::min<std::uint64_t>(type.count, gadget::kRowsPerBlock));
        readRows(type.masses, H5T_NATIVE_DOUBLE, 0, masses.size(), masses.data());
        return std::ranges::all_of(masses, [&](double mass) { return mass == type.tableMass; });
    }

    void readType(const Type& type, gadget::Receiver& to) const {
        gadget::Columns columns;
        for (std::uint64_t start = 0; start < type.count; start += gadget::kRowsPerBlock) {
            gadget::BodyBlock block{.type = static_cast<std::uint32_t>(type.number), .firstRow = start};
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(gadget::kRowsPerBlock, type.count - start));
            block.count = static_cast<std::uint32_t>(count);
            block.tableMass = type.tableMass;
            const auto room = [&](gadget::Column column, std::size_t width) {
                block.width[column] = static_cast<std::uint8_t>(width);
                columns[column].resize(count * gadget::kNumbers[column] * width);
                return columns[column].data();
            };
            // Numbers travel as they are stored: floats take half of the time.
            const auto read = [&](gadget::Column column, const CheckedSet& set, hid_t narrow, hid_t wide) {
                if (set.valid()) readRows(set, set.narrow ? narrow : wide, start, count, room(column, set.narrow ? 4 : 8));
            };
            read(gadget::kPlaceColumn, type.coordinates, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE);
            read(gadget::kVelocityColumn, type.velocities, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE);
            read(gadget::kMassColumn, type.masses, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE);
            read(gadget::kResponseColumn, type.response, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE);
            read(gadget::kIdColumn, type.ids, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64);
            std::vector<std::int64_t> whole(count);
            if (type.ids.hasSign) {
                // The library makes negative ids 0; such ids are dropped like those that are too large.
                readRows(type.ids, H5T_NATIVE_INT64, start, count, whole.data());
                for (std::size_t i = 0; i < count; ++i)
                    if (whole[i] < 0) std::memset(columns[gadget::kIdColumn].data() + 8 * i, 0xff, 8);
            }
            if (type.group.valid()) {
                readRows(type.group, H5T_NATIVE_INT64, start, count, whole.data());
                char* const group = room(gadget::kGroupColumn, 1);
                for (std::size_t i = 0; i < count; ++i) {
                    if (whole[i] < 0 || whole[i] > 255)
                        fail(type.path() + " row " + std::to_string(start + i) + ": Group is " + std::to_string(whole[i]) +
                             ", expected 0 to 255");
                    group[i] = static_cast<char>(whole[i]);
                }
            }
            if (!surfaces_.empty()) {
                char* const surface = room(gadget::kSurfaceColumn, 8);
                std::memcpy(surface, surfaces_.data() + 4 * start, columns[gadget::kSurfaceColumn].size());
            }
            to.block(block, columns);
        }
    }

    /// Radii and spins pass the same gate as the other numbers of the bodies.
    void takeSurfaces(gadget::Preface& preface) {
        Snapshot& snapshot = preface.snapshot;
        const auto found = std::ranges::find(snapshot.state, gadget::kSurfaces, &StateArray::name);
        if (found == snapshot.state.end()) return;
        surfaces_ = std::move(found->values);
        snapshot.state.erase(found);
        if (surfaces_.size() != 4 * preface.bodies)
            fail("its " + std::string(gadget::kSurfaces) + " do not fit its " + std::to_string(preface.bodies) +
                 " bodies; it was changed after it was saved");
    }

    void readOwn(Snapshot& snapshot) {
        if (!own_.valid()) return;
        const auto whole = [&](const char* name) {
            const auto values = wholes(own_, name);
            return values ? std::optional(values->front()) : std::nullopt;
        };
        snapshot.step = whole("Step");
        snapshot.stepOrigin = whole("StepOrigin");
        snapshot.time = number(own_, "Time");
        snapshot.timeStep = number(own_, "TimeStep");
        snapshot.timeOrigin = number(own_, "TimeOrigin");
        snapshot.softening = number(own_, "Softening");
        if (snapshot.softening && *snapshot.softening < 0) fail("its softening is negative");
        if (const auto seed = attribute<std::uint64_t>(own_, "Seed", H5T_NATIVE_UINT64)) {
            if (number(own_, "Seed") != static_cast<double>(seed->front())) fail("its Seed is no whole number from 0 on");
            snapshot.seed = seed->front();
        }
        snapshot.signedSources = whole("SignedSources").value_or(0) != 0;
        snapshot.settings = text(own_, "Settings");
        snapshot.units = text(own_, "Units");
        if (const std::string units = text(own_, "FileUnits"); !units.empty()) {
            const std::optional<FileUnits> found = fileUnitsFrom(units);
            if (!found) fail("its FileUnits are invalid");
            snapshot.fileUnits = *found;
        }
        if (const std::string names = text(own_, "Names", kMostNamesBytes); !names.empty()) {
            std::optional<BodyNames> found = namesFrom(names);
            if (!found) fail("its Names are invalid");
            snapshot.names = std::make_shared<const BodyNames>(std::move(*found));
        }
        if (const Hdf5Handle state = child(own_, gadget::kStateGroup, false); state.valid()) readState(state, snapshot);
    }

    /// Bonds become arrays of a force term; its number is in the group of this program's files.
    void readBonds(Snapshot& snapshot) const {
        if (!hasLink(file_, gadget::kBondGroup)) return;
        const Hdf5Handle bonds = child(file_, gadget::kBondGroup, true);
        if (!own_.valid() && !(hasLink(bonds, "first") && hasLink(bonds, "second"))) return;  // another program's
        const std::int64_t term = wholes(bonds, gadget::kBondTerm).value_or(Wholes{0}).front();
        if (term < 0 || term >= static_cast<std::int64_t>(kMostTerms)) fail("the number of its bonds' term is out of range");
        const std::string mark = (term < 10 ? "term.0" : "term.") + std::to_string(term) + ".bonds";
        const std::size_t before = snapshot.state.size();
        readState(bonds, snapshot, gadget::kBondGroup, mark + ".");
        snapshot.state.push_back({mark, {static_cast<double>(snapshot.state.size() - before)}});
        std::ranges::sort(snapshot.state, {}, &StateArray::name);
    }

    void readState(const Hdf5Handle& state, Snapshot& snapshot, const char* group = gadget::kStateGroup,
                   const std::string& prefix = {}) const {
        H5G_info_t info;
        if (H5Gget_info(state, &info) < 0) failLibrary("its state cannot be examined");
        if (info.nlinks > kMostStateArrays) fail("it has too many state arrays");
        for (hsize_t i = 0; i < info.nlinks; ++i) {
            char name[kMostStateNameBytes + 1];
            const ssize_t length =
                H5Lget_name_by_idx(state, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
            if (length <= 0 || static_cast<std::size_t>(length) >= sizeof name || !goodStateName(name))
                fail("a state array has a bad name");
            snapshot.state.push_back({prefix + name, stateValues(state, name, group)});
        }
    }

    std::vector<double> stateValues(const Hdf5Handle& state, const char* name, const char* group) const {
        if (!hasLink(state, name)) fail("a state array is missing");
        std::uint64_t rows = 0;
        {
            const Hdf5Handle set(H5Dopen2(state, name, H5P_DEFAULT), H5Dclose);
            const Hdf5Handle space(set.valid() ? H5Dget_space(set) : -1, H5Sclose);
            const hssize_t points = space.valid() ? H5Sget_simple_extent_npoints(space) : -1;
            if (points < 0) failLibrary(std::string("the state ") + excerpt(name) + " cannot be read");
            rows = static_cast<std::uint64_t>(points);
        }
        const CheckedSet set = open(state, group, name, rows, 1, Kind::number);
        const bool kept = options_.keepsState || !options_.part.whole() || name == gadget::kSurfaces;
        std::vector<double> values(kept ? rows : 0), block(kept ? 0 : gadget::kRowsPerBlock);
        for (std::uint64_t start = 0; start < rows; start += gadget::kRowsPerBlock) {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(gadget::kRowsPerBlock, rows - start));
            double* const part = kept ? values.data() + start : block.data();
            readRows(set, H5T_NATIVE_DOUBLE, start, count, part);
            for (std::size_t i = 0; i < count; ++i)
                if (!std::isfinite(part[i]))
                    fail("the state " + excerpt(name) + " is not a finite number at " + std::to_string(start + i));
        }
        return values;
    }

    std::optional<StatedUnits> statedUnits(Snapshot& snapshot) const {
        for (const UnitNames& names : kUnitNames) {
            if (!hasLink(file_, names.group)) continue;
            const Hdf5Handle group = child(file_, names.group, true);
            const auto length = number(group, names.length), mass = number(group, names.mass);
            const auto last = number(group, names.velocity ? names.velocity : names.time);
            if (!length || !mass || !last) continue;
            if (!(*length > 0) || !(*mass > 0) || !(*last > 0))
                fail("a unit in its " + std::string(names.group) + " is not above 0");
            StatedUnits units;
            units.length = *length * 1e-2;
            units.mass = *mass * 1e-3;
            units.velocity = names.velocity ? *last * 1e-2 : units.length / *last;
            units.words = "the units in its " + std::string(names.group);
            units.lengthName = shortestText(*length) + " cm";
            units.massName = shortestText(*mass) + " g";
            units.velocityName = shortestText(names.velocity ? *last : *length / *last) + " cm/s";
            return units;
        }
        if (!options_.gravity && options_.units.empty())
            snapshot.notes.push_back(
                "it states no units: G = 1 is assumed (--units gadget for kpc, km/s, 1e10 solar masses)");
        return std::nullopt;
    }

    std::string name_;
    const ReadOptions& options_;
    std::uint64_t fileBytes_;
    Hdf5Handle file_, own_;
    std::vector<Type> types_;
    std::vector<double> surfaces_;  ///< radius and spin of each body, in the order of the file; empty: points
};

}  // namespace

void gadget::parse(const Source& source, const ReadOptions& options, bool sealed, Receiver& to) {
    GadgetReader(source, options, sealed).read(to);
}

}  // namespace gravlab
#endif
