# Writes the sources' commit into OUTPUT, from TEMPLATE; run at build time, so that it is that of the build and not of
# the configuration. "+" behind it: they were changed since. Empty where it cannot be told, as outside of git.
execute_process(COMMAND git describe --always --dirty=+ --exclude=* WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
