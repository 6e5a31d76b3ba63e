# Writes build_info.cpp; run at build time, so that the commit is that of the build and not of the configuration.
execute_process(COMMAND git describe --always --dirty=+ --exclude=* WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
configure_file(${SOURCE}/bench/build_info.cpp.in ${OUTPUT} @ONLY)
