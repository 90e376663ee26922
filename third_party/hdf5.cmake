# Optional: HDF5::HDF5 and GRAVLAB_HAS_HDF5. Only that file format needs HDF5; -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON builds
# without it. Its C component needs the C language, which the OpenGL loader enables before.
set(GRAVLAB_HAS_HDF5 OFF)
find_package(HDF5 QUIET COMPONENTS C)
if(HDF5_FOUND)
  set(GRAVLAB_HAS_HDF5 ON)
  message(STATUS "HDF5 files: on, libhdf5 ${HDF5_VERSION}")
else()
  message(STATUS "HDF5 files: off, no libhdf5 found (Debian/Ubuntu: apt install libhdf5-dev); csv, tab, tipsy and ply still work")
endif()
