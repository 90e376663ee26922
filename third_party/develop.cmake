# What a program outside of this tree needs: the public headers, all libraries, a CMake package (gravlab::program,
# gravlab::commands, gravlab::sim) and a pkg-config file. clients/cpp and tests/outside are such programs.
include(CMakePackageConfigHelpers)

# The libraries that targets link, by name or path, each after those that need it; targets of this tree are left out.
function(gravlab_link_closure out)
  set(pending ${ARGN})
  set(seen "")
  set(libraries "")
  while(pending)
    list(POP_FRONT pending item)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    if(item IN_LIST seen OR item MATCHES "^\\$<|^::@|^$")
      continue()
    endif()
    list(APPEND seen ${item})
    if(NOT TARGET ${item})
      list(REMOVE_ITEM libraries ${item})
      list(APPEND libraries ${item})
      continue()
    endif()
    get_target_property(alias ${item} ALIASED_TARGET)
    if(alias)
      set(item ${alias})
    endif()
    get_target_property(imported ${item} IMPORTED)
    get_target_property(kind ${item} TYPE)
    if(imported AND NOT kind STREQUAL "INTERFACE_LIBRARY")
      foreach(property IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NONE IMPORTED_LOCATION IMPORTED_LOCATION_RELWITHDEBINFO)
        get_target_property(place ${item} ${property})
        if(place)
          list(APPEND libraries ${place})
          break()
        endif()
      endforeach()
    endif()
    foreach(property INTERFACE_LINK_LIBRARIES LINK_LIBRARIES)
      if(NOT (imported AND property STREQUAL "LINK_LIBRARIES"))
        get_target_property(more ${item} ${property})
        if(more)
          list(APPEND pending ${more})
        endif()
      endif()
    endforeach()
  endwhile()
  set(${out} "${libraries}" PARENT_SCOPE)
endfunction()

add_library(gravlab_main STATIC ${PROJECT_SOURCE_DIR}/app/main.cpp)
target_link_libraries(gravlab_main PRIVATE gravlab_app)
gravlab_link_closure(GRAVLAB_SIM_LINKS gravlab_sim)
gravlab_link_closure(GRAVLAB_PROGRAM_LINKS gravlab_app gravlab_render gravlab_sim)
set(_package ${PROJECT_BINARY_DIR}/develop)
set(_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gravlab)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gravlab-config.cmake.in ${_package}/gravlab-config.cmake
  INSTALL_DESTINATION ${_folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${_package}/gravlab-config-version.cmake COMPATIBILITY ExactVersion)
set(_links "")
foreach(_library ${GRAVLAB_PROGRAM_LINKS})
  if(NOT _library MATCHES "^[-/]")
    set(_library -l${_library})
  endif()
  string(APPEND _links " ${_library}")
endforeach()
file(RELATIVE_PATH _up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(WRITE ${_package}/gravlab.pc
"prefix=\${pcfiledir}/${_up}
Name: gravlab
Description: laboratory for gravity between many bodies: the whole program, for additions of one's own
Version: ${PROJECT_VERSION}
Cflags: -std=c++20 -ffp-contract=off -I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
Libs: -L\${prefix}/${CMAKE_INSTALL_LIBDIR} -lgravlab_main -lgravlab_app -lgravlab_render -lgravlab_glad -lgravlab_sim -Wl,--as-needed${_links}
")

# A component, so that packages of the program can leave it out.
install(TARGETS gravlab_main gravlab_app gravlab_render glad gravlab_sim
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT develop)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sim/api/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gravlab COMPONENT develop)
install(FILES ${_package}/gravlab-config.cmake ${_package}/gravlab-config-version.cmake DESTINATION ${_folder} COMPONENT develop)
install(FILES ${_package}/gravlab.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT develop)
