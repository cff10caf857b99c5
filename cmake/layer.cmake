# trireme_layer(NAME [USES layer...] [LINKS library...] [PRIVATELY library...] [WITHOUT source...])
#
# One folder of src/: the library trireme_NAME from its sources, NAME_test from its *_test.cc and NAME_bench
# from its *_bench.cc. A folder without sources, or none at all, is a layer too: it can be named before it is
# filled. Libraries under PRIVATELY are seen by the layer's own sources alone; sources under WITHOUT are left
# out, where one of two files with the same functions is built.
function(trireme_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "USES;LINKS;PRIVATELY;WITHOUT")
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cc)
  file(GLOB benches CONFIGURE_DEPENDS ${folder}/*_bench.cc)
  list(TRANSFORM layer_WITHOUT PREPEND ${folder}/)
  list(REMOVE_ITEM sources ${tests} ${benches} ${folder}/main.cc ${layer_WITHOUT})

  set(library trireme_${name})
  if(sources)
    add_library(${library} STATIC ${sources})
    target_link_libraries(${library} PRIVATE trireme_flags ${layer_PRIVATELY})
    set(scope PUBLIC)
  else()
    add_library(${library} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM layer_USES PREPEND trireme_)
  target_include_directories(${library} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${library} ${scope} ${layer_USES} ${layer_LINKS})
  target_compile_features(${library} ${scope} cxx_std_20)  # also for who links it

  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE trireme_flags ${library}
                          GTest::gtest_main GTest::gmock rapidcheck)
    set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
    gtest_discover_tests(
      ${name}_test
      TEST_PREFIX ${name}.
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      DISCOVERY_TIMEOUT 60
      # Properties are tried on the same cases every time; RC_PARAMS= build/test/NAME_test tries others.
      PROPERTIES TIMEOUT 300 ENVIRONMENT RC_PARAMS=seed=1)
  endif()

  if(benches AND TRIREME_BENCH)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE trireme_flags ${library} benchmark::benchmark_main)
    set_target_properties(${name}_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  endif()
endfunction()
