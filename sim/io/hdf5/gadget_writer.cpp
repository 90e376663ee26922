// Writes Gadget-style HDF5, readable by the research tools; with the group Gravlab it is an exact checkpoint. Rule: the
// library writes only to memory; the disk receives the finished bytes through AtomicFile.
#if defined(GRAVLAB_HAS_HDF5)
#include "sim/api/errors.h"
#include "sim/core/bad_bodies.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/io/file/byte_sink.h"
#include "sim/io/formats/formats.h"
#include "sim/io/hdf5/gadget.h"
#include "sim/io/hdf5/hdf5_handle.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string_view>

namespace gravlab {
namespace {

constexpr std::size_t kRowsPerBlock = 1 << 16;
constexpr std::size_t kMemoryStep = std::size_t{16} << 20;

[[noreturn]] void fail(const char* what) { throw IoError(std::string("HDF5 could not ") + what + ": " + hdf5Reason()); }

template <class Id>
Id needed(Id id, const char* what) {
    if (id < 0) fail(what);
    return id;
}

/// The memory to which the library writes a file, readable in place. The library itself would only give a copy, and that of
/// 100 million bodies has 6 GB. Outlives the file.
class FileMemory {
public:
    FileMemory() = default;
    ~FileMemory() { std::free(data_); }
    FileMemory(const FileMemory&) = delete;
    FileMemory& operator=(const FileMemory&) = delete;

    bool install(hid_t access) {
        H5FD_file_image_callbacks_t calls{};
        calls.image_malloc = [](size_t size, H5FD_file_image_op_t, void* to) { return resized(to, nullptr, size); };
        calls.image_realloc = [](void* from, size_t size, H5FD_file_image_op_t, void* to) {
            return resized(to, from, size);
        };
        calls.image_memcpy = [](void* to, const void* from, size_t size, H5FD_file_image_op_t, void*) {
            return std::memcpy(to, from, size);
        };
        // The memory lives as long as this object.
        calls.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };
        calls.udata_copy = [](void* same) { return same; };
        calls.udata_free = [](void*) -> herr_t { return 0; };
        calls.udata = this;
        return H5Pset_file_image_callbacks(access, &calls) >= 0;
    }
    std::string_view bytes(std::size_t count) const { return {static_cast<const char*>(data_), count}; }
    bool holds(std::size_t count) const { return data_ && count <= size_; }

private:
    static void* resized(void* of, void* from, std::size_t size) {
        auto& self = *static_cast<FileMemory*>(of);
        if (from != self.data_) return nullptr;
        void* grown = std::realloc(from, size);
        if (!grown) return nullptr;
        if (size > self.size_) touchPages(static_cast<char*>(grown) + self.size_, size - self.size_);
        self.size_ = size;
        return self.data_ = grown;
    }

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

Hdf5Handle scalarSpace() { return {needed(H5Screate(H5S_SCALAR), "make a space"), H5Sclose}; }

Hdf5Handle simpleSpace(std::size_t rows, std::size_t columns) {
    const hsize_t extent[2] = {rows, columns};
    return {needed(H5Screate_simple(columns > 1 ? 2 : 1, extent, nullptr), "make a space"), H5Sclose};
}

class GadgetWriter {
public:
    explicit GadgetWriter(const Snapshot& snapshot) : snapshot_(snapshot) {
        const Hdf5Handle access(needed(H5Pcreate(H5P_FILE_ACCESS), "make a property list"), H5Pclose);
        needed(H5Pset_fapl_core(access, std::max(kMemoryStep, 4 * snapshot.size()), 0), "write to memory");
        if (!memory_.install(access)) fail("write to memory");
        file_ = {needed(H5Fcreate("memory.hdf5", H5F_ACC_TRUNC, H5P_DEFAULT, access), "create a file in memory"), H5Fclose};
        layout_ = {needed(H5Pcreate(H5P_DATASET_CREATE), "make a property list"), H5Pclose};
        // Store no times of writing, so that the same state gives the same bytes.
        needed(H5Pset_obj_track_times(layout_, false), "leave out times");
        needed(H5Pset_fill_time(layout_, H5D_FILL_TIME_NEVER), "leave out fill values");
    }

    /// The bytes of the file; valid as long as this object lives.
    std::string_view image() {
        writeHeader();
        writeBodies();
        writeOwn();
        writeBonds();
        needed(H5Fflush(file_, H5F_SCOPE_GLOBAL), "finish the file");
        const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
        if (size <= 0) fail("give its bytes");
        file_ = {};  // close it: otherwise its bytes mark it as open for writing
        if (!memory_.holds(static_cast<std::size_t>(size))) fail("give its bytes");
        return memory_.bytes(static_cast<std::size_t>(size));
    }

private:
    Hdf5Handle group(hid_t parent, const char* name) {
        return {needed(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a group"), H5Gclose};
    }

    void attribute(hid_t at, const char* name, hid_t fileType, hid_t memoryType, const Hdf5Handle& space,
                   const void* value) {
        const Hdf5Handle attribute(
            needed(H5Acreate2(at, name, fileType, space, H5P_DEFAULT, H5P_DEFAULT), "create an attribute"), H5Aclose);
        needed(H5Awrite(attribute, memoryType, value), "write an attribute");
    }
    void attribute(hid_t at, const char* name, double value) {
        attribute(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalarSpace(), &value);
    }
    void attribute(hid_t at, const char* name, std::int64_t value) {
        attribute(at, name, H5T_STD_I64LE, H5T_NATIVE_INT64, scalarSpace(), &value);
    }
    void attribute(hid_t at, const char* name, std::uint64_t value) {
        attribute(at, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, scalarSpace(), &value);
    }
    void attribute(hid_t at, const char* name, int value) {
        attribute(at, name, H5T_STD_I32LE, H5T_NATIVE_INT, scalarSpace(), &value);
    }
    template <class Value>
    void attribute(hid_t at, const char* name, const std::optional<Value>& value) {
        if (value) attribute(at, name, *value);
    }

    // The header that every reader of such files needs.
    void writeHeader() {
        const Hdf5Handle header = group(file_, "Header");
        std::array<std::uint32_t, gadget::kTypes> count{}, high{};
        count[gadget::kWrittenType] = static_cast<std::uint32_t>(snapshot_.size());
        const std::array<double, gadget::kTypes> masses{};
        const Hdf5Handle six = simpleSpace(gadget::kTypes, 1);
        attribute(header, "NumPart_ThisFile", H5T_STD_U32LE, H5T_NATIVE_UINT32, six, count.data());
        attribute(header, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_UINT32, six, count.data());
        attribute(header, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_UINT32, six, high.data());
        attribute(header, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, six, masses.data());
        attribute(header, "Time", snapshot_.time.value_or(0));
        for (const char* name : {"Redshift", "BoxSize", "Omega0", "OmegaLambda"}) attribute(header, name, 0.0);
        attribute(header, "HubbleParam", 1.0);
        attribute(header, "NumFilesPerSnapshot", 1);
        for (const char* name : {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback"})
            attribute(header, name, 0);
        attribute(header, "Flag_DoublePrecision", are_.positions && are_.velocities && are_.masses ? 0 : 1);
        writeUnits(header);
    }

    /// Numbers are in G = 1; these attributes give the size of the units under the names that other programs read.
    void writeUnits(hid_t header) {
        const FileUnits& units = snapshot_.fileUnits;
        if (!(units.metres > 0)) return;
        attribute(header, "UnitLength_in_cm", 1e2 * units.metres);
        attribute(header, "UnitMass_in_g", 1e3 * units.kilograms);
        attribute(header, "UnitVelocity_in_cm_per_s", 1e2 * units.metresPerSecond);
    }

    // One component of a body's numbers; template arguments below keep the loops over all bodies fast.
    static constexpr std::array<double Double4::*, 3> kAxes{&Double4::x, &Double4::y, &Double4::z};
    static double position(const ParticleSet& b, std::size_t i, std::size_t c) { return b.position[i].*kAxes[c]; }
    static double velocity(const ParticleSet& b, std::size_t i, std::size_t c) { return b.velocity[i].*kAxes[c]; }
    static double mass(const ParticleSet& b, std::size_t i, std::size_t) { return b.position[i].w; }
    static double response(const ParticleSet& b, std::size_t i, std::size_t) { return b.velocity[i].w; }

    ParticleSet bodyAt(std::size_t i) const {
        ParticleSet one;
        one.resize(1);
        snapshot_.pieces->readPiece(i, one, kReadAll);
        return one;
    }

    /// What all bodies have in common. Floats suffice when every number is one: a run in fp32 then takes half the space.
    struct Common {
        bool positions = true, velocities = true, masses = true, responses = true;  ///< floats suffice
        bool ungrouped = true, usualResponse = true, positive = true;
    };
    Common commonOf() const {
        Common all;
        snapshot_.source().overParts(kReadAll, [&](const ParticleSet& set, std::size_t) {
            const auto none = [&](const auto& is) { return firstBad(set.size(), is) == set.size(); };
            const auto exact = [&](const Double4& v) { return isFloat(v.x) && isFloat(v.y) && isFloat(v.z); };
            all.positions = all.positions && none([&](std::size_t i) { return !exact(set.position[i]); });
            all.velocities = all.velocities && none([&](std::size_t i) { return !exact(set.velocity[i]); });
            all.masses = all.masses && none([&](std::size_t i) { return !isFloat(set.position[i].w); });
            all.responses = all.responses && none([&](std::size_t i) { return !isFloat(set.velocity[i].w); });
            all.ungrouped = all.ungrouped && none([&](std::size_t i) { return set.group[i] != 0; });
            all.usualResponse = all.usualResponse && none([&](std::size_t i) { return set.velocity[i].w != 1; });
            all.positive = all.positive && none([&](std::size_t i) { return set.position[i].w < 0; });
        });
        return all;
    }
    static bool isFloat(double value) {
        constexpr double kLargest = 3.4028234663852886e38;
        return value >= -kLargest && value <= kLargest && static_cast<double>(static_cast<float>(value)) == value;
    }

    Hdf5Handle dataset(hid_t at, const char* name, hid_t type, const Hdf5Handle& space, hid_t layout) {
        return {needed(H5Dcreate2(at, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT), "create a data set"), H5Dclose};
    }

    /// The layout of many values that are mostly `usual`: a block of that value alone takes no bytes of the file.
    Hdf5Handle mostly(hid_t type, const void* usual) {
        Hdf5Handle layout(needed(H5Pcopy(layout_), "make a property list"), H5Pclose);
        const hsize_t block = kRowsPerBlock;
        needed(H5Pset_chunk(layout, 1, &block), "cut into blocks");
        needed(H5Pset_fill_value(layout, type, usual), "set the usual value");
        needed(H5Pset_fill_time(layout, H5D_FILL_TIME_IFSET), "set the usual value");
        return layout;
    }

    /// Writes `count` rows from `begin` on in blocks; `fill(i, row)` sets the numbers of one. Blocks of nothing but `usual`
    /// are left out.
    template <class Number, class Fill>
    void blocks(const Hdf5Handle& set, const Hdf5Handle& space, hid_t memoryType, std::size_t columns, std::size_t begin,
                std::size_t end, const Fill& fill, const std::optional<Number>& usual = {}) {
        constexpr std::size_t kGrain = 8192;  // rows that a thread fills at a time
        std::vector<Number> block(std::min(end - begin, kRowsPerBlock) * columns);
        for (std::size_t start = begin; start < end; start += kRowsPerBlock) {
            const std::size_t count = std::min(kRowsPerBlock, end - start);
            parallelFor(count, 0, kGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) fill(start + i, block.data() + i * columns);
            });
            if (usual && std::all_of(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count),
                                     [&](Number value) { return value == *usual; }))
                continue;
            const hsize_t from[2] = {start, 0}, extent[2] = {count, columns};
            const Hdf5Handle memory = simpleSpace(count, columns);
            needed(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, extent, nullptr), "select rows");
            needed(H5Dwrite(set, memoryType, memory, space, H5P_DEFAULT, block.data()), "write a data set");
        }
    }

    /// Writes a row for each body; `fill(set, i, row)` sets it. `arrays`: what it reads; `alike`: many may be equal.
    template <class Number, class Fill>
    void rows(hid_t at, const char* name, hid_t fileType, hid_t memoryType, std::size_t columns, const Fill& fill,
              unsigned arrays, bool alike = false) {
        const std::size_t bodies = snapshot_.size();
        const Hdf5Handle space = simpleSpace(bodies, columns);
        std::optional<Number> usual;
        if (alike && bodies > kRowsPerBlock) {
            usual.emplace();
            if (snapshot_.pieces)
                fill(bodyAt(bodies / 2), 0, &*usual);
            else
                fill(snapshot_.bodies, bodies / 2, &*usual);
        }
        const Hdf5Handle layout = usual ? mostly(memoryType, &*usual) : Hdf5Handle();
        const Hdf5Handle set = dataset(at, name, fileType, space, usual ? hid_t{layout} : hid_t{layout_});
        snapshot_.source().overParts(arrays, [&](const ParticleSet& part, std::size_t first) {
            blocks<Number>(
                set, space, memoryType, columns, first, first + part.size(),
                [&](std::size_t i, Number* row) { fill(part, i - first, row); }, usual);
        });
    }

    template <auto component, std::size_t columns>
    void numbers(hid_t at, const char* name, bool exact, unsigned arrays, bool alike = false) {
        const auto fill = []<class Number>(const ParticleSet& set, std::size_t i, Number* row) {
            for (std::size_t c = 0; c < columns; ++c) row[c] = static_cast<Number>(component(set, i, c));
        };
        if (exact)
            rows<float>(at, name, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, columns, fill, arrays, alike);
        else
            rows<double>(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, columns, fill, arrays, alike);
    }

    void writeBodies() {
        const Hdf5Handle type = group(file_, ("PartType" + std::to_string(gadget::kWrittenType)).c_str());
        numbers<position, 3>(type, "Coordinates", are_.positions, kReadPositions);
        numbers<velocity, 3>(type, "Velocities", are_.velocities, kReadVelocities);
        numbers<mass, 1>(type, "Masses", are_.masses, kReadPositions, true);
        rows<std::uint32_t>(
            type, "ParticleIDs", H5T_STD_U32LE, H5T_NATIVE_UINT32, 1,
            [](const ParticleSet& set, std::size_t i, std::uint32_t* row) { *row = set.id[i]; }, kReadLabels);
        if (!are_.ungrouped)
            rows<std::uint8_t>(
                type, "Group", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1,
                [](const ParticleSet& set, std::size_t i, std::uint8_t* row) { *row = set.group[i]; }, kReadLabels, true);
        if (!are_.usualResponse) numbers<response, 1>(type, "Response", are_.responses, kReadVelocities, true);
    }

    void text(hid_t at, const char* name, const std::string& value) {
        if (value.empty()) return;
        const Hdf5Handle type(needed(H5Tcopy(H5T_C_S1), "make a text type"), H5Tclose);
        needed(H5Tset_size(type, value.size()), "make a text type");
        needed(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a text type");
        needed(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
        const Hdf5Handle set = dataset(at, name, type, scalarSpace(), layout_);
        needed(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()), "write text");
    }

    void writeOwn() {
        const Hdf5Handle own = group(file_, gadget::kOwnGroup);
        attribute(own, "Version", gadget::kOwnVersion);
        attribute(own, "Sealed", 1);
        attribute(own, "Step", snapshot_.step);
        attribute(own, "Time", snapshot_.time);
        attribute(own, "TimeStep", snapshot_.timeStep);
        attribute(own, "StepOrigin", snapshot_.stepOrigin);
        attribute(own, "TimeOrigin", snapshot_.timeOrigin);
        attribute(own, "Softening", snapshot_.softening);
        attribute(own, "Seed", snapshot_.seed);
        attribute(own, "SignedSources", snapshot_.signedSources || !are_.positive ? 1 : 0);
        text(own, "Settings", snapshot_.settings);
        text(own, "Units", snapshot_.units);
        text(own, "FileUnits", fileUnitsText(snapshot_.fileUnits));
        if (!snapshot_.names->empty()) text(own, "Names", namesText(snapshot_.names->of(snapshot_.bodies.id)));
        const Hdf5Handle state = group(own, gadget::kStateGroup);
        static_assert(sizeof(Surface) == 4 * sizeof(double), "radius and spin are written as they are");
        if (const std::vector<Surface>& all = snapshot_.bodies.surface; !all.empty())
            array(state, gadget::kSurfaces.data(), H5T_IEEE_F64LE, &all.front().radius, 4 * all.size());
        const std::string bonds = firstBonds();
        for (const StateArray& array : snapshot_.state) {
            if (!bonds.empty() && array.name.starts_with(bonds)) continue;
            // Numbers of bodies in single precision take half of the file.
            const std::size_t count = array.values.size();
            if (count >= snapshot_.size() &&
                firstBad(count, [&](std::size_t i) { return !isFloat(array.values[i]); }) == count) {
                const Hdf5Handle space = simpleSpace(count, 1);
                const Hdf5Handle set = dataset(state, array.name.c_str(), H5T_IEEE_F32LE, space, layout_);
                blocks<float>(set, space, H5T_NATIVE_FLOAT, 1, 0, count,
                              [&](std::size_t i, float* row) { *row = static_cast<float>(array.values[i]); });
            } else {
                this->array(state, array.name.c_str(), H5T_IEEE_F64LE, array.values.data(), count);
            }
        }
    }

    void array(hid_t at, const char* name, hid_t type, const double* values, std::size_t count) {
        const Hdf5Handle set = dataset(at, name, type, simpleSpace(count, 1), layout_);
        if (count > 0) needed(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write a data set");
    }

    /// "term.01.bonds", the mark of the first term of bonds; empty where there is none. See arraysOf().
    std::string firstBonds() const {
        for (const StateArray& array : snapshot_.state)
            if (array.name.size() == 13 && array.name.starts_with("term.") && array.name.ends_with(".bonds"))
                return array.name;
        return {};
    }
    /// Bonds have a group of their own, for other programs: ids as whole numbers, and classes of the other numbers.
    void writeBonds() {
        const std::string mark = firstBonds();
        if (mark.empty()) return;
        const Hdf5Handle bonds = group(file_, gadget::kBondGroup);
        attribute(bonds, gadget::kBondTerm, std::stoi(mark.substr(5, 2)));
        for (const StateArray& array : snapshot_.state) {
            if (!array.name.starts_with(mark + ".")) continue;
            const std::string name = array.name.substr(mark.size() + 1);
            const bool whole = name == "first" || name == "second" || name == "class" || name == "broken";
            this->array(bonds, name.c_str(), whole ? H5T_STD_U32LE : H5T_IEEE_F64LE, array.values.data(),
                        array.values.size());
        }
    }

    const Snapshot& snapshot_;
    const Common are_ = commonOf();
    FileMemory memory_;
    Hdf5Handle file_, layout_;
};

}  // namespace

void writeGadget(ByteSink& sink, const Snapshot& snapshot) {
    // The turn lasts until the file in memory is closed.
    const Hdf5Turn turn;
    GadgetWriter writer(snapshot);
    const std::string_view bytes = writer.image();
    auto sum = std::async([bytes] { return crc32c(bytes.data(), bytes.size()); });
    sink.write(bytes);
    sink.write(gadget::Seal{bytes.size(), sum.get()}.bytes());
}

}  // namespace gravlab
#endif
