// The list of the program's components (gravlab.spdx.json, SPDX 2.3): complete, with each linked library.
#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>
#include <link.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json bill() {
    std::ifstream file(fs::path(GRAVLAB_BINARY).parent_path() / "gravlab.spdx.json");
    return Json::parse(file, nullptr, false);
}

std::set<std::string> namesOfTheBill() {
    std::set<std::string> names;
    const Json whole = bill();
    for (const Json& package : whole.at("packages")) names.insert(package.at("name"));
    return names;
}

TEST(Sbom, isAWholeSpdxDocument) {
    const Json b = bill();
    ASSERT_TRUE(b.is_object()) << "gravlab.spdx.json is missing beside the program, or is no JSON";
    EXPECT_EQ(b.at("spdxVersion"), "SPDX-2.3");
    EXPECT_EQ(b.at("dataLicense"), "CC0-1.0");
    EXPECT_EQ(b.at("SPDXID"), "SPDXRef-DOCUMENT");
    EXPECT_TRUE(b.at("documentNamespace").get<std::string>().starts_with("https://"));
    EXPECT_TRUE(std::regex_match(b.at("creationInfo").at("created").get<std::string>(),
                                 std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")));
    EXPECT_FALSE(b.at("creationInfo").at("creators").empty());
    std::set<std::string> ids{"SPDXRef-DOCUMENT"};
    for (const Json& package : b.at("packages")) {
        const std::string name = package.at("name"), id = package.at("SPDXID");
        EXPECT_TRUE(std::regex_match(id, std::regex("SPDXRef-[A-Za-z0-9.-]+"))) << id;
        EXPECT_TRUE(ids.insert(id).second) << id << " is there twice";
        EXPECT_TRUE(std::regex_search(package.at("versionInfo").get<std::string>(), std::regex("[0-9]"))) << name;
        EXPECT_GE(package.at("licenseDeclared").get<std::string>().size(), 3u) << name;
        EXPECT_TRUE(package.contains("downloadLocation")) << name;
    }
    std::map<std::string, std::string> linked;
    for (const Json& relation : b.at("relationships")) {
        EXPECT_TRUE(ids.contains(relation.at("spdxElementId")));
        EXPECT_TRUE(ids.contains(relation.at("relatedSpdxElement")));
        linked[relation.at("relatedSpdxElement")] = relation.at("relationshipType");
    }
    EXPECT_EQ(linked.size() + 1, ids.size()) << "every package has its place";
    EXPECT_EQ(linked.at("SPDXRef-gravlab"), "DESCRIBES");
    EXPECT_EQ(linked.at("SPDXRef-glad"), "STATIC_LINK");
    EXPECT_EQ(linked.at("SPDXRef-glm"), "DEPENDS_ON");
}

TEST(Sbom, namesEveryLibraryThatTheBuildAsksFor) {
    const std::set<std::string> names = namesOfTheBill();
    const std::string rows = contentOf(GRAVLAB_SOURCE_DIR "/third_party/dependencies.cmake");
    const std::regex asked(R"((?:gravlab_require\(\S+|find_package\()\s*([A-Za-z0-9_]+))");
    int found = 0;
    for (std::sregex_iterator at(rows.begin(), rows.end(), asked), end; at != end; ++at) {
        const std::string name = (*at)[1];
        if (name == "Threads" || name == "PkgConfig" || name == "CONFIG") continue;
        EXPECT_TRUE(names.contains(name)) << name << " is missing in third_party/sbom.cmake";
        ++found;
    }
    EXPECT_GE(found, 6) << "the rows were not found, so nothing was compared";
    EXPECT_TRUE(names.contains("imgui"));
    EXPECT_TRUE(names.contains("glad"));
}

/// Libraries that a program file names for the loader.
std::vector<std::string> neededBy(const fs::path& program) {
    const std::string file = contentOf(program);
    const auto at = [&]<class Part>(std::uint64_t offset, Part part) {
        if (offset + sizeof part > file.size()) throw std::runtime_error("not a program of this machine");
        std::memcpy(&part, file.data() + offset, sizeof part);
        return part;
    };
    const auto head = at(0, ElfW(Ehdr){});
    std::vector<ElfW(Phdr)> parts;
    for (std::size_t i = 0; i < head.e_phnum; ++i) parts.push_back(at(head.e_phoff + i * head.e_phentsize, ElfW(Phdr){}));
    std::uint64_t names = 0;
    std::vector<std::uint64_t> needed;
    for (const auto& part : parts)
        for (std::uint64_t i = 0; part.p_type == PT_DYNAMIC && i < part.p_filesz; i += sizeof(ElfW(Dyn))) {
            const auto entry = at(part.p_offset + i, ElfW(Dyn){});
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
            if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
        }
    for (const auto& part : parts)
        if (part.p_type == PT_LOAD && names >= part.p_vaddr && names < part.p_vaddr + part.p_filesz) {
            names += part.p_offset - part.p_vaddr;
            break;
        }
    std::vector<std::string> libraries;
    for (const std::uint64_t name : needed) libraries.emplace_back(file.c_str() + names + name);
    return libraries;
}

TEST(Sbom, namesEveryLibraryThatTheProgramLoads) {
    const std::set<std::string> names = namesOfTheBill();
    const std::pair<const char*, const char*> kLibraries[] = {
        {"libglfw", "glfw3"},       {"libhwy", "hwy"},       {"libpng", "PNG"},
        {"libhdf5", "HDF5"},        {"libgomp", "libgomp"},  {"libomp", "libomp"},
        {"libGL", "OpenGL"},        {"libOpenGL", "OpenGL"}, {"libEGL", "OpenGL"},
        {"libstdc++", "libstdc++"}, {"libstb", "stb"},       {"libimgui", "imgui"},
        {"libcudart", "cudart"},    {"libz", "ZLIB"}};
    // The system's own libraries, the compiler's, and those of sanitizers.
    const std::set<std::string> kSystem{"libc",  "libm",    "libgcc_s", "libpthread", "libdl",
                                        "librt", "libasan", "libubsan", "libtsan"};
    int compared = 0;
    for (const std::string& file : neededBy(GRAVLAB_BINARY)) {
        const std::string library = file.substr(0, file.find(".so"));
        if (kSystem.contains(library) || library.starts_with("ld-linux")) continue;
        const auto row = std::find_if(std::begin(kLibraries), std::end(kLibraries),
                                      [&](const auto& known) { return library.starts_with(known.first); });
        ASSERT_NE(row, std::end(kLibraries)) << file << " is new: give it a row here and in third_party/sbom.cmake";
        EXPECT_TRUE(names.contains(row->second)) << file << " is loaded and not listed";
        ++compared;
    }
    EXPECT_GE(compared, 3);
}

/// A machine without a display, a GPU or the net runs what needs none of them: these are opened where they are used first.
TEST(Sbom, theProgramIsLinkedWithNothingOfDisplaysDriversAndTheNet) {
    static const std::regex foreign("lib(EGL|GL|GLX|OpenGL|X11|xcb|cuda|nvidia|nvrtc|curl|ssl|crypto|ldap|glfw)[.-].*");
    const std::vector<std::string> needed = neededBy(GRAVLAB_BINARY);
    EXPECT_FALSE(needed.empty());
    for (const std::string& library : needed) EXPECT_FALSE(std::regex_match(library, foreign)) << library;
}

}  // namespace
}  // namespace gravlab
