# Compiles through ccache where it is there and nobody has named another launcher. What is compiled in one build folder
# is then there for the next one, precompiled headers included.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TRIREME_CCACHE NAMES ccache DOC "ccache, to compile nothing twice")
  mark_as_advanced(TRIREME_CCACHE)
  set(usable)
  if(TRIREME_CCACHE)
    # Where its folder cannot be written it refuses to compile.
    execute_process(COMMAND ${TRIREME_CCACHE} ${CMAKE_CXX_COMPILER} -x c++ -c /dev/null -o ccache_try.o
                    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(usable ON)
    endif()
  endif()
  if(usable)
    # As ccache's manual says for precompiled headers. Paths below the sources count from the build folder.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${TRIREME_CCACHE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      add_compile_options(-fpch-preprocess)
    else()
      add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
endif()
