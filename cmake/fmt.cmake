# The library that makes text: STIEFEL_FMT is what to link. From its headers alone it leaves nothing to link for those who
# use an installed Stiefel; else a static Stiefel needs the library, though no header shows it.
find_package(fmt REQUIRED)
if(STIEFEL_STATIC_DEPENDENCIES)
  set(STIEFEL_FMT $<BUILD_INTERFACE:fmt::fmt-header-only>)
else()
  set(STIEFEL_FMT fmt::fmt)
endif()
