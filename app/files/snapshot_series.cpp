// Sources: https://www.xdmf.org/index.php/XDMF_Model_and_Format; the file series of ParaView's guide, section 2.2.
#include "app/files/snapshot_series.h"

#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/snapshot.h"

#include <nlohmann/json.hpp>

#include <system_error>

namespace gravlab {
namespace {

constexpr std::string_view kXdmf = ".xdmf", kSeries = ".series";

/// A value per body: its name in the list, its data set in the file, its numbers a body and their type.
struct SeriesValue {
    const char *name, *set, *type;
    int numbers, bytes;
};
constexpr SeriesValue kValues[] = {
    {"velocity", "Velocities", "Float", 3, 8}, {"mass", "Masses", "Float", 1, 8}, {"id", "ParticleIDs", "UInt", 1, 4}};

/// HDF5 converts numbers of a file to the type that a reader requests, so 32-bit numbers fit 8 bytes too.
std::string dataItem(const std::string& file, std::size_t bodies, const SeriesValue& value) {
    return formatted("<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%zu%s\">", value.type,
                     value.bytes, bodies, value.numbers == 3 ? " 3" : "") +
           htmlText(file) + ":/PartType1/" + value.set + "</DataItem>";
}

}  // namespace

void requireSeries(std::string_view list, std::string_view pattern) {
    const std::string_view format = formatForWriting(std::string(pattern)).name;
    const bool xdmf = list.ends_with(kXdmf);
    if (!xdmf && !list.ends_with(kSeries))
        throw UsageError("--series '" + std::string(list) + "': expected FILE.xdmf, or FILE.ply.series for PLY files");
    if (xdmf != (format == "hdf5") || (!xdmf && format != "ply"))
        throw UsageError("--series '" + std::string(list) + "': .xdmf lists .hdf5 files, and .series lists .ply files; " +
                         "--snapshots names " + std::string(format) + " files");
    if (xdmf && pattern.find(':') != std::string_view::npos)
        throw UsageError("--series: XDMF reads ':' as the end of a file's name; choose other --snapshots");
}

void SnapshotSeries::add(const std::filesystem::path& file, double time, std::size_t bodies) {
    if (list_.empty()) return;
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
    const std::filesystem::path folder =
        std::filesystem::weakly_canonical(std::filesystem::absolute(list_, ignored).parent_path(), ignored);
    const std::filesystem::path relative = full.lexically_relative(folder);
    entries_.push_back({(relative.empty() ? full : relative).string(), time, bodies});
    writeFileAtomically(list_, text(), {.durable = false});
}

std::string SnapshotSeries::text() const {
    if (!list_.string().ends_with(kXdmf)) {
        nlohmann::ordered_json files = nlohmann::ordered_json::array();
        for (const Entry& entry : entries_) files.push_back({{"name", entry.file}, {"time", entry.time}});
        const nlohmann::ordered_json all{{"file-series-version", "1.0"}, {"files", files}};
        return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    }
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n"
        "<Grid Name=\"bodies\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (const Entry& entry : entries_) {
        text += "<Grid Name=\"" + htmlText(entry.file) + "\" GridType=\"Uniform\">\n" +
                formatted(
                    "<Time Value=\"%.17g\"/>\n<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%zu\" "
                    "NodesPerElement=\"1\"/>\n",
                    entry.time, entry.bodies) +
                "<Geometry GeometryType=\"XYZ\">" +
                dataItem(entry.file, entry.bodies, {"position", "Coordinates", "Float", 3, 8}) + "</Geometry>\n";
        for (const SeriesValue& value : kValues)
            text += formatted("<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">", value.name,
                              value.numbers == 3 ? "Vector" : "Scalar") +
                    dataItem(entry.file, entry.bodies, value) + "</Attribute>\n";
        text += "</Grid>\n";
    }
    return text + "</Grid>\n</Domain>\n</Xdmf>\n";
}

}  // namespace gravlab
