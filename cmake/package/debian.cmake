# Run by cpack between installing and packing. What Debian's rules want of a .deb, and others do not: completions for zsh in
# the folder for packages, manual pages and changelog compressed, a changelog in the form that apt reads.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

function(compress file)
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(root IN ITEMS program development)
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${root}/usr/share)
  set(package stiefel)
  if(root STREQUAL "development")
    set(package stiefel-dev)
  endif()
  if(NOT EXISTS ${share})
    continue()
  endif()
  if(EXISTS ${share}/zsh/site-functions)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
  file(GLOB pages ${share}/man/man1/*.1)
  foreach(page ${pages})
    compress(${page})
  endforeach()
  # The licence is in `copyright` as well, where Debian looks for it.
  file(REMOVE ${share}/doc/${package}/LICENSE)
  if(EXISTS ${share}/doc/${package}/CHANGELOG.md)
    file(RENAME ${share}/doc/${package}/CHANGELOG.md ${share}/doc/${package}/NEWS.md)
    compress(${share}/doc/${package}/NEWS.md)
  endif()
  file(WRITE ${share}/doc/${package}/changelog
       "stiefel (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * What changed is told in NEWS.md of the package stiefel.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress(${share}/doc/${package}/changelog)
endforeach()
