// An array of NumPy (.npy): a row per body, of floats in either byte order. Rule: the shape must give the file's size
// exactly before anything is allocated.
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/byte_order.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"

#include <charconv>
#include <cstddef>

namespace gravlab {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY");

/// The text after a key of the header, a dictionary of Python; empty: it is not there.
std::string_view valueAfter(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    header.remove_prefix(at + key.size());
    return header.substr(std::min(header.size(), header.find_first_not_of(": ")));
}

/// The numbers of "(100, 7)".
std::vector<std::uint64_t> shapeOf(std::string_view text) {
    std::vector<std::uint64_t> shape;
    text = text.substr(0, text.find(')'));
    for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string_view::npos;) {
        std::uint64_t length = 0;
        const auto read = std::from_chars(text.data() + at, text.data() + text.size(), length);
        if (read.ec != std::errc()) return {};
        shape.push_back(length);
        at = static_cast<std::size_t>(read.ptr - text.data());
    }
    return shape;
}

}  // namespace

bool looksLikeNpy(const Source& source) { return source.head().starts_with(kNpyMagic); }

Snapshot readNpy(Source& source, const ReadOptions& options) {
    const auto refuse = [&](const std::string& why) -> void { throw InputError(source.name() + ": " + why); };
    const std::string_view head = source.head();
    if (!source.size()) refuse("an array of NumPy is binary and cannot come through a pipe; give the file's name");
    if (head.size() < 12) refuse("the header of the array is cut short");
    const bool wide = head[6] > 1;
    const std::size_t begin = (wide ? 12u : 10u) + (wide ? loaded<std::uint32_t, std::uint32_t>(head.data() + 8, false)
                                                         : loaded<std::uint16_t, std::uint16_t>(head.data() + 8, false));
    if (begin > head.size()) refuse("the header of the array is longer than " + std::to_string(head.size()) + " bytes");
    const std::string_view header = head.substr(0, begin), type = valueAfter(header, "'descr'");
    const std::vector<std::uint64_t> shape = shapeOf(valueAfter(header, "'shape'"));
    const bool single = type.starts_with("'<f4'") || type.starts_with("'>f4'");
    if (!single && !type.starts_with("'<f8'") && !type.starts_with("'>f8'"))
        refuse("the array has numbers of type " + excerpt(type.substr(0, type.find(','))) +
               "; save floats of 32 or 64 bits, as by numpy.save(name, array.astype(float))");
    if (shape.size() != 2 || (shape[1] != 3 && shape[1] != 6 && shape[1] != 7))
        refuse("the array has the shape " + excerpt(valueAfter(header, "'shape'").substr(0, 40)) +
               "; a row of bodies has 3 numbers (x y z), 6 (x y z vx vy vz) or 7 (m x y z vx vy vz)");
    const std::uint64_t count = shape[0], columns = shape[1], width = single ? sizeof(float) : sizeof(double);
    if (count > *source.size() || *source.size() - begin != count * columns * width)
        refuse("the shape gives " + std::to_string(count) + " rows of " + std::to_string(columns) +
               " numbers, and the file has another size: cut short?");
    BodyCollector bodies(source.name(), options, false);
    bodies.expect(count);
    std::vector<char> data(begin);
    (void)source.read(data.data(), begin);
    data.resize(count * columns * width);
    if (source.read(data.data(), data.size()) != data.size()) refuse("it was cut short while it was read");
    const bool bigEndian = type[1] == '>', byColumns = valueAfter(header, "'fortran_order'").starts_with("True");
    const auto number = [&](std::uint64_t row, std::uint64_t column) {
        const char* const at = data.data() + width * (byColumns ? column * count + row : row * columns + column);
        return single ? static_cast<double>(loaded<float, std::uint32_t>(at, bigEndian))
                      : loaded<double, std::uint64_t>(at, bigEndian);
    };
    constexpr double BodyRow::*kOrder[] = {&BodyRow::mass, &BodyRow::x,  &BodyRow::y, &BodyRow::z,
                                           &BodyRow::vx,   &BodyRow::vy, &BodyRow::vz};
    const std::uint64_t first = columns == 7 ? 0 : 1;
    for (std::uint64_t i = 0; i < count; ++i) {
        BodyRow row;
        row.mass = 1.0 / static_cast<double>(count);
        for (std::uint64_t k = 0; k < columns; ++k) row.*kOrder[k + first] = number(i, k);
        bodies.add(row, [&] { return "row " + std::to_string(i); });
    }
    Snapshot snapshot;
    bodies.finish(snapshot, false, false);
    snapshot.knowsVelocities = columns > 3;
    if (columns < 7) snapshot.notes.push_back("no masses: each body has 1/N");
    if (columns == 3) snapshot.notes.push_back("no velocities: the bodies start at rest");
    convertUnits(snapshot, options, std::nullopt, source.name());
    return snapshot;
}

}  // namespace gravlab
