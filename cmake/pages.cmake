# The completions and manual pages, as the program writes them from its own options. STIEFEL_PAGES is a folder that looks
# as they do when they are installed under share/.
set(STIEFEL_PAGES ${PROJECT_BINARY_DIR}/pages)
set(pages)

# stiefel_page(file arguments...): what the program prints when it is called so.
function(stiefel_page file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${STIEFEL_PAGES}/${folder})
  add_custom_command(OUTPUT ${STIEFEL_PAGES}/${file}
                     COMMAND stiefel_program ${ARGN} > ${STIEFEL_PAGES}/${file}
                     DEPENDS stiefel_program VERBATIM)
  set(pages ${pages} ${STIEFEL_PAGES}/${file} PARENT_SCOPE)
endfunction()

stiefel_page(bash-completion/completions/stiefel --completions bash)
stiefel_page(zsh/site-functions/_stiefel --completions zsh)
stiefel_page(fish/vendor_completions.d/stiefel.fish --completions fish)
stiefel_page(man/man1/stiefel.1 --man stiefel)
foreach(command solve eigen info convert generate)
  stiefel_page(man/man1/stiefel-${command}.1 --man ${command})
endforeach()
add_custom_target(stiefel_pages ALL DEPENDS ${pages})
