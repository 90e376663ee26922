# What is installed beside the program, and the packages that ./release makes of it.
if(GRAVLAB_RELEASE)
  # The same bits in any folder: no path of this machine in what compilers write. A later map goes before an earlier one.
  set(_maps -ffile-prefix-map=${PROJECT_SOURCE_DIR}=gravlab -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
  foreach(_map ${_maps})
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${_map}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${_map}>)
  endforeach()
  # nvcc names what stands in an unnamed namespace by a checksum of the file's path: of the object's, here.
  string(REPLACE "<FLAGS>" "<FLAGS> -Xcudafe=--orig_src_path_name=<OBJECT>"
    CMAKE_CUDA_COMPILE_OBJECT "${CMAKE_CUDA_COMPILE_OBJECT}")
endif()
include(GNUInstallDirs)

# A library beside the program, in a package of its own, needs MPI; see sim/CMakeLists.txt.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI COMPONENTS CXX QUIET)  # optional
if(NOT MPI_CXX_FOUND)
  message(STATUS "MPI: not found, each run will be one process")
endif()

# Who and where the project is: metainfo, package and CITATION.cff say it.
set(GRAVLAB_ID io.github.gravlab.gravlab)
set(GRAVLAB_CONTACT "The gravlab authors <maintainers@gravlab.example>")
# The day of the release stands in CHANGELOG.md; until it does, that of this configure run (SOURCE_DATE_EPOCH counts).
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md _heading REGEX "^## ${PROJECT_VERSION} " LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+$" GRAVLAB_RELEASE_DATE "${_heading}")
if(NOT GRAVLAB_RELEASE_DATE)
  string(TIMESTAMP GRAVLAB_RELEASE_DATE "%Y-%m-%d" UTC)
endif()

# The oldest driver that runs the CUDA part, in words of packages; an older one gives the CPU and a sentence.
set(GRAVLAB_DRIVER "none (built without CUDA)")
if(GRAVLAB_CUDA_VERSION VERSION_GREATER_EQUAL 14)
  set(GRAVLAB_DRIVER "a driver for CUDA ${GRAVLAB_CUDA_VERSION}")
elseif(GRAVLAB_CUDA_VERSION VERSION_GREATER_EQUAL 13)
  set(GRAVLAB_DRIVER "580 or later (CUDA 13)")
elseif(GRAVLAB_CUDA_VERSION)
  set(GRAVLAB_DRIVER "525 or later (CUDA 12)")
endif()

set(_desktop ${PROJECT_SOURCE_DIR}/assets/desktop)
configure_file(${_desktop}/metainfo.xml.in ${PROJECT_BINARY_DIR}/${GRAVLAB_ID}.metainfo.xml @ONLY)
install(FILES ${_desktop}/gravlab.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${_desktop}/gravlab.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps)
install(FILES ${_desktop}/gravlab.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES ${PROJECT_BINARY_DIR}/${GRAVLAB_ID}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)

# Man pages and completions, by the program itself.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(_manuals ${PROJECT_BINARY_DIR}/manuals)
  add_custom_command(OUTPUT ${_manuals}/gravlab.fish
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${_manuals}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/third_party/manuals.py $<TARGET_FILE:gravlab> ${_manuals}
    DEPENDS gravlab ${PROJECT_SOURCE_DIR}/third_party/manuals.py ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    COMMENT "Writing man pages and completions" VERBATIM)
  add_custom_target(manuals ALL DEPENDS ${_manuals}/gravlab.fish)
  install(DIRECTORY ${_manuals}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1.gz")
  install(FILES ${_manuals}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(FILES ${_manuals}/gravlab.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gravlab)
  install(FILES ${_manuals}/_gravlab DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${_manuals}/gravlab.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
else()
  message(STATUS "Man pages and completions: none, they need Python 3")
endif()

# The licence, and those of the libraries inside the program and beside it, as this system's packages give them.
set(_licences ${PROJECT_BINARY_DIR}/copyright)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE _text)
foreach(_package libimgui-dev libglm-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libhdf5-dev libaec-dev
        fonts-dejavu-core python3-glad libglfw3-dev libhwy-dev libpng-dev zlib1g-dev libstb-dev libgomp1)
  if(EXISTS /usr/share/doc/${_package}/copyright)
    file(READ /usr/share/doc/${_package}/copyright _more)
    string(APPEND _text "\n\n==== ${_package}, inside or beside the program ====\n\n${_more}")
  endif()
endforeach()
file(WRITE ${_licences} "${_text}")
install(FILES ${_licences} DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The pages that helps and man pages name as docs/NAME.md.
file(GLOB _pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
install(FILES ${_pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)

# A folder that runs anywhere with this libc: the libraries that a bare system lacks, beside the program. Those of OpenGL, EGL
# and X11 belong to the system's drivers and are opened where they are; GLFW is carried and opened with them.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  install(CODE "set(_program \"$<TARGET_FILE:gravlab>\")
    set(_glfw \"${GRAVLAB_LATE_glfw}\")" COMPONENT portable EXCLUDE_FROM_ALL)
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${_program} LIBRARIES ${_glfw} RESOLVED_DEPENDENCIES_VAR _found
      UNRESOLVED_DEPENDENCIES_VAR _missing PRE_EXCLUDE_REGEXES
      "^(ld-linux.*|lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s|X[0-9A-Za-z]*|xcb|EGL|GL[A-Za-z]*|OpenGL))\\.so")
    foreach(_library ${_found} ${_glfw})
      file(INSTALL ${_library} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/gravlab FOLLOW_SYMLINK_CHAIN)
    endforeach()
  ]] COMPONENT portable EXCLUDE_FROM_ALL)
endif()

# Draws figures for Python's matplotlib; the program looks there for it.
install(FILES ${PROJECT_SOURCE_DIR}/clients/python/gravlab/figures.py DESTINATION share/gravlab)

# The Python client, as the package python3-gravlab: Debian's Python looks there. It is compiled when it is installed.
set(_python ${PROJECT_SOURCE_DIR}/clients/python/gravlab)
set(_scripts ${PROJECT_BINARY_DIR}/python3-gravlab)
set(_packages lib/python3/dist-packages)
install(FILES ${_python}/__init__.py ${_python}/grade.py ${_python}/run.py DESTINATION ${_packages}/gravlab
  COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/assets/kernels DESTINATION ${_packages}/gravlab COMPONENT python EXCLUDE_FROM_ALL)
file(WRITE ${_scripts}/METADATA "Metadata-Version: 2.1\nName: gravlab\nVersion: ${PROJECT_VERSION}\nRequires-Dist: numpy\n")
install(FILES ${_scripts}/METADATA DESTINATION ${_packages}/gravlab-${PROJECT_VERSION}.dist-info COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/python3-gravlab RENAME copyright
  COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/docs/notebooks/rotation-curve.ipynb DESTINATION share/doc/python3-gravlab
  COMPONENT python EXCLUDE_FROM_ALL)
file(WRITE ${_scripts}/postinst "#!/bin/sh\nset -e\n[ \"$1\" != configure ] || py3compile -p python3-gravlab\n")
file(WRITE ${_scripts}/prerm "#!/bin/sh\nset -e\npy3clean -p python3-gravlab\n")

set(CPACK_GENERATOR DEB)
# The program and the Python client alone; headers and libraries come by cmake --install (develop.cmake).
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};gravlab;ALL;/")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified python)
if(MPI_CXX_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_PACKAGE_CONTACT "${GRAVLAB_CONTACT}")
set(CPACK_PACKAGE_VENDOR "gravlab")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${PROJECT_HOMEPAGE_URL}")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME gravlab)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SECTION science)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SHLIBDEPS ON)
# Opened at run time, so that dpkg-shlibdeps does not see them.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "libegl1, libgl1, libgl1-mesa-dri, libglfw3 (>= 3.3), libopenh264-7, libturbojpeg0 | libturbojpeg, ffmpeg, python3-matplotlib")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "python3-gravlab, gravlab-mpi")
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "laboratory for gravity between many bodies, in real time
gravlab computes the pull between all pairs of up to millions of bodies, on an
NVIDIA GPU or on the CPU, or with a tree code at an accuracy that you choose.
It shows them in a window where every setting changes while it runs, makes
pictures and films without one, and has lessons and benchmarks.

NVIDIA driver for the GPU: ${GRAVLAB_DRIVER}.
Without it the CPU computes.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-gravlab)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy, gravlab (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${_scripts}/postinst;${_scripts}/prerm")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "laboratory for gravity between many bodies, from Python
Runs of gravlab from Python: it makes steps, gives bodies as numpy arrays
through shared memory, changes every setting, and shows pictures in notebooks.")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME gravlab-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "gravlab (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_DESCRIPTION "laboratory for gravity between many bodies, on several hosts
The library by which processes that mpirun starts divide the forces of a run
of gravlab, for the MPI of this distribution.")
include(CPack)

# Tests of the packages: ctest -L release in a build folder of ./release.
if(GRAVLAB_RELEASE)
  enable_testing()
  foreach(_case metadata completions series linked toolkit deb docker tarball outside)
    add_test(NAME release.${_case} COMMAND ${PROJECT_SOURCE_DIR}/tests/release/release.sh ${_case} ${PROJECT_BINARY_DIR})
    set_tests_properties(release.${_case} PROPERTIES LABELS release TIMEOUT 3600 RUN_SERIAL ON)
  endforeach()
endif()
