# Everything the project links, found on the system. One recipe a package; the opt-in fetch is in fetch.cmake.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenGL REQUIRED COMPONENTS OpenGL EGL)
find_package(glfw3 3.3 CONFIG REQUIRED)
find_package(glm CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(hwy CONFIG REQUIRED)
find_package(PNG REQUIRED)
include(imgui)
include(glad)
include(hdf5)        # optional
