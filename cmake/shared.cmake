# What makes a shared library of Stiefel (BUILD_SHARED_LIBS).
set_target_properties(stiefel PROPERTIES
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS)
  # Calls within the library may be inlined as in a program: nobody replaces its functions.
  target_compile_options(stiefel PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
  # Only what is Stiefel's can be seen: not fmt's inline functions, nor what the standard library is made into inside.
  set(symbols ${CMAKE_CURRENT_LIST_DIR}/symbols.map)
  target_link_options(stiefel PRIVATE -Wl,--version-script=${symbols} -Wl,--no-undefined)
  set_target_properties(stiefel PROPERTIES LINK_DEPENDS ${symbols})
endif()
