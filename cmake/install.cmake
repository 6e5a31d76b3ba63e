# cmake --install puts the program, the library, its public headers and a package for find_package(stiefel) under
# a prefix, which may be moved afterwards. Its two components are the packages that cmake/package.cmake makes: program,
# and development.
include(CMakePackageConfigHelpers)

# Public headers lie in a room itself, and in the folders named there; the others within rooms hold implementations.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt header_patterns)
file(GLOB STIEFEL_PUBLIC_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${header_patterns})
foreach(header ${STIEFEL_PUBLIC_HEADERS})
  cmake_path(GET header PARENT_PATH room)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stiefel/${room} COMPONENT development)
endforeach()

install(TARGETS stiefel EXPORT stiefelTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program NAMELINK_COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(STIEFEL_CLI)
  install(TARGETS stiefel_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  if(STIEFEL_HAS_MPI)  # in no package: it needs the MPI that it was built with
    install(TARGETS stiefel_program_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ranks)
  endif()
  install(DIRECTORY ${STIEFEL_PAGES}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
endif()
# What binaries hold of others asks for its notice to go with them.
foreach(component program development)
  set(package stiefel)
  if(component STREQUAL "development")
    set(package stiefel-dev)
  endif()
  install(FILES cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stiefel COMPONENT program)

if(STIEFEL_HAS_MPI)
  # find_package(stiefel COMPONENTS mpi) gives stiefel::mpi; without the component nobody needs an MPI.
  set_target_properties(stiefel_mpi PROPERTIES EXPORT_NAME mpi)
  install(TARGETS stiefel_mpi EXPORT stiefelMpiTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

set(STIEFEL_DEPENDENCIES "find_dependency(OpenMP COMPONENTS CXX)\n")
if(NOT BUILD_SHARED_LIBS AND NOT STIEFEL_STATIC_DEPENDENCIES)
  string(APPEND STIEFEL_DEPENDENCIES "find_dependency(fmt)\n")  # no header shows it, but a static library needs it
endif()
if(STIEFEL_HAS_CUDA)
  string(APPEND STIEFEL_DEPENDENCIES "find_dependency(CUDAToolkit)\n")
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stiefel)
install(EXPORT stiefelTargets NAMESPACE stiefel:: DESTINATION ${package_dir} COMPONENT development)
if(STIEFEL_HAS_MPI)
  install(EXPORT stiefelMpiTargets NAMESPACE stiefel:: DESTINATION ${package_dir} COMPONENT development)
endif()
configure_package_config_file(cmake/stiefelConfig.cmake.in ${PROJECT_BINARY_DIR}/stiefelConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stiefelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stiefelConfig.cmake ${PROJECT_BINARY_DIR}/stiefelConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)
