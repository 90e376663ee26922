// The list of what the program is made of (gravlab.spdx.json, SPDX 2.3): whole, and nothing that is linked is missing.
#include <gtest/gtest.h>
#include <link.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

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

std::string contentOf(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
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

/// What this test program has loaded is what the program loads: both link the same libraries.
TEST(Sbom, namesEveryLibraryThatIsLoaded) {
    const std::set<std::string> names = namesOfTheBill();
    const std::pair<const char*, const char*> kLibraries[] = {
        {"libglfw", "glfw3"},   {"libhwy", "hwy"},    {"libpng", "PNG"},       {"libhdf5", "HDF5"},
        {"libgomp", "libgomp"}, {"libomp", "libomp"}, {"libOpenGL", "OpenGL"}, {"libEGL", "OpenGL"},
    };
    std::set<std::string> loaded;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            static_cast<std::set<std::string>*>(to)->insert(fs::path(info->dlpi_name).filename().string());
            return 0;
        },
        &loaded);
    int compared = 0;
    for (const std::string& file : loaded)
        for (const auto& [library, name] : kLibraries)
            if (file.starts_with(library) &&
                (file[std::string(library).size()] == '.' || file[std::string(library).size()] == '_')) {
                EXPECT_TRUE(names.contains(name)) << file << " is loaded and not listed";
                ++compared;
            }
    EXPECT_GE(compared, 1);
}

}  // namespace
}  // namespace gravlab
