# Flags of single CPU sources; included by sim/CMakeLists.txt.
# The textbook loops stay textbook: no vectorisation; a plain square root instruction.
set_source_files_properties(backends/cpu/kernels/kernels_plain.cpp PROPERTIES
  COMPILE_OPTIONS "-fno-tree-vectorize;-fno-math-errno")
# OpenMP is a row of the ladder, not a requirement: without it the row says so.
find_package(OpenMP COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  set_source_files_properties(backends/cpu/kernels/kernels_openmp.cpp PROPERTIES
    COMPILE_OPTIONS "${OpenMP_CXX_FLAGS};-fno-math-errno;-fno-trapping-math")
  target_link_libraries(gravlab_sim PRIVATE ${OpenMP_CXX_LIBRARIES})
else()
  message(STATUS "OpenMP: not found, the cpu kernel 'openmp' will be listed as unavailable")
endif()
