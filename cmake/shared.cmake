# What makes a shared library of Stiefel (BUILD_SHARED_LIBS), and lets the static one be linked into somebody else's.
set_target_properties(stiefel PROPERTIES POSITION_INDEPENDENT_CODE ON
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Calls within the library may be inlined as in a program: nobody replaces its functions.
target_compile_options(stiefel PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
if(BUILD_SHARED_LIBS)
  # Only what is Stiefel's can be seen: not fmt's inline functions, nor what the standard library is made into inside.
  set(symbols ${CMAKE_CURRENT_LIST_DIR}/symbols.map)
  target_link_options(stiefel PRIVATE -Wl,--version-script=${symbols} -Wl,--no-undefined)
  set_target_properties(stiefel PROPERTIES LINK_DEPENDS ${symbols})
endif()
