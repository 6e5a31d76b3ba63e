# cpack makes packages of what `cmake --install` installs: for Debian and its kin stiefel and stiefel-dev, and a .tar.gz of
# each that runs where it is unpacked. `scripts/package` builds for other machines than this one before.
set(CPACK_PACKAGE_NAME stiefel)
set(CPACK_PACKAGE_VENDOR "The Stiefel authors")
set(STIEFEL_PACKAGE_CONTACT "The Stiefel authors <authors@stiefel.invalid>" CACHE STRING "Who answers for the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT ${STIEFEL_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has one of its own
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL development)
if(STIEFEL_CLI)
  list(PREPEND CPACK_COMPONENTS_ALL program)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)

# Both archives unpack into one folder.
string(TOLOWER stiefel-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} CPACK_PACKAGE_FILE_NAME)
string(REPLACE stiefel- stiefel-dev- CPACK_ARCHIVE_DEVELOPMENT_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_ARCHIVE_PROGRAM_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME stiefel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "solver for symmetric positive definite sparse systems
Solves systems given as Matrix Market files by conjugate gradients on its own
sparse kernels, with a choice of preconditioners, and finds eigenpairs: on one
core, on all of them, or on a CUDA device. It reports the true residual.

CUDA need not be installed: a device is used where there is a driver for it.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME stiefel-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "solvers for symmetric positive definite sparse systems (C++ library)
Headers, static library and CMake package of Stiefel: conjugate gradients,
block conjugate gradients and eigensolvers with preconditioners, on one core,
on all of them, or on a CUDA device.")
# What find_package(stiefel) asks for. The toolkit of CUDA is left to the user: it comes from elsewhere as a rule.
set(development_needs g++)
if(STIEFEL_GZIP STREQUAL "libdeflate")
  list(APPEND development_needs libdeflate-dev)
else()
  list(APPEND development_needs zlib1g-dev)
endif()
if(NOT STIEFEL_STATIC_DEPENDENCIES)
  list(APPEND development_needs libfmt-dev)
endif()
list(JOIN development_needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS stiefel)
if(STIEFEL_HAS_CUDA)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS ", nvidia-cuda-toolkit (>= ${STIEFEL_LEAST_CUDA})")
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/debian.cmake)

include(CPack)
