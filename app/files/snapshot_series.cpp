// Sources: https://www.xdmf.org/index.php/XDMF_Model_and_Format; the file series of ParaView's guide, section 2.2.
#include "app/files/snapshot_series.h"

#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"
#include "sim/io/snapshot.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
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

/// The inverse of htmlText().
std::string plainText(std::string_view html) {
    std::string text;
    for (std::size_t at = 0; at < html.size();) {
        std::string letter(1, html[at]);
        for (const char* special : {"<", ">", "&", "\""})
            if (html.substr(at).starts_with(htmlText(special))) letter = special;
        at += htmlText(letter).size();
        text += letter;
    }
    return text;
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

void SnapshotSeries::keepUntil(double time, bool backwards) {
    std::string text;
    try {
        Source source = Source::open(list_);
        text.resize(source.size().value_or(0));
        text.resize(source.read(text.data(), text.size()));
    } catch (const Error&) {  // there is no list yet
    }
    std::vector<Entry> found;
    if (list_.string().ends_with(kXdmf)) {
        const auto after = [&](std::string_view mark, std::size_t from) {
            const std::size_t at = text.find(mark, from);
            return at == text.npos ? std::string_view() : std::string_view(text).substr(at + mark.size());
        };
        constexpr std::string_view kGrid = "<Grid Name=\"", kSingle = "\" GridType=\"Uniform\">";
        for (std::size_t at = text.find(kGrid); at != text.npos; at = text.find(kGrid, at + 1)) {
            const std::string_view name = after(kGrid, at);
            const std::size_t end = std::min(name.find('"'), name.size());
            if (!name.substr(end).starts_with(kSingle)) continue;
            found.push_back({.file = plainText(name.substr(0, end))});
            const auto number = [&](std::string_view mark, auto& value) {
                const std::string_view digits = after(mark, at);
                std::from_chars(digits.data(), digits.data() + digits.size(), value);
            };
            number("<Time Value=\"", found.back().time);
            number("NumberOfElements=\"", found.back().bodies);
        }
    } else if (const auto all = nlohmann::json::parse(text, nullptr, false); all.is_object() && all.contains("files")) {
        for (const auto& entry : all["files"])
            if (entry.is_object() && entry.contains("name") && entry["name"].is_string() && entry.contains("time") &&
                entry["time"].is_number())
                found.push_back({.file = entry["name"], .time = entry["time"]});
    }
    const std::filesystem::path folder = list_.parent_path();
    for (Entry& entry : found) {
        std::error_code ignored;
        const bool before = backwards ? entry.time >= time : entry.time <= time;
        if (before && std::filesystem::exists(folder / entry.file, ignored)) entries_.push_back(std::move(entry));
    }
}

void SnapshotSeries::add(const std::filesystem::path& file, double time, std::size_t bodies) {
    if (list_.empty()) return;
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
    const std::filesystem::path folder =
        std::filesystem::weakly_canonical(std::filesystem::absolute(list_, ignored).parent_path(), ignored);
    const std::filesystem::path relative = full.lexically_relative(folder);
    const std::string name = (relative.empty() ? full : relative).string();
    std::erase_if(entries_, [&](const Entry& entry) { return entry.file == name; });
    entries_.push_back({name, time, bodies});
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
