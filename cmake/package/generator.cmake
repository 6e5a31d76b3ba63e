# Read by cpack for each kind of package: an archive is a folder, a .deb begins at the root of the file system.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
