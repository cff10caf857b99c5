# trireme_bundle(NAME LAYERS layer...)
#
# What is installed of several layers: one static library of all their objects, trireme::NAME for whoever finds
# it. Users see the headers in include/, and what the objects need is linked to their programs; our layers, our
# flags and other people's headers they do not see. trireme_NAME_packages is what there is to find first.
function(trireme_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 bundle "" "" "LAYERS")
  set(objects)
  set(links)
  foreach(layer IN LISTS bundle_LAYERS)
    get_target_property(kind trireme_${layer} TYPE)
    if(kind STREQUAL STATIC_LIBRARY)  # and not a layer without sources
      list(APPEND objects $<TARGET_OBJECTS:trireme_${layer}>)
      get_target_property(layer_links trireme_${layer} LINK_LIBRARIES)
      list(APPEND links ${layer_links})
    endif()
  endforeach()
  list(FILTER links EXCLUDE REGEX "^trireme_")
  list(REMOVE_DUPLICATES links)
  set(packages ${links})
  list(FILTER packages INCLUDE REGEX "::")
  list(REMOVE_ITEM packages MPI::MPI_C)
  list(TRANSFORM packages REPLACE "::.*" "")
  # Programs that are not C cannot find MPI's C API, and it must be the one that we were built with anyway.
  list(TRANSFORM links REPLACE "^MPI::MPI_C$" "${MPI_C_LIBRARIES}")

  set(library trireme_bundle_${name})
  add_library(${library} STATIC ${objects})
  target_link_libraries(${library} PRIVATE ${links})
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_20)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${name})
  set(trireme_${name}_packages ${packages} PARENT_SCOPE)
endfunction()
