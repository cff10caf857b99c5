# trireme_bundle(NAME OUTPUT name LAYERS layer... [BASE bundle])
#
# What is installed of several layers: one library of all their objects, trireme::NAME for whoever finds it. An
# archive, or with BUILD_SHARED_LIBS a shared library. An archive of BASE's layers is linked with it; a shared library
# holds them itself, since it shows nothing but the API. Users see the headers in include/, and what the objects need
# is linked to their programs; our layers, our flags and other people's headers they do not see.
# trireme_NAME_packages is what there is to find first.
function(trireme_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 bundle "" "OUTPUT;BASE" "LAYERS")
  set(layers ${bundle_LAYERS})
  if(bundle_BASE AND BUILD_SHARED_LIBS)
    get_target_property(base_layers trireme_bundle_${bundle_BASE} TRIREME_LAYERS)
    list(PREPEND layers ${base_layers})
  endif()
  set(objects)
  set(links)
  foreach(layer IN LISTS layers)
    list(APPEND objects $<TARGET_OBJECTS:trireme_${layer}>)
    get_target_property(layer_links trireme_${layer} LINK_LIBRARIES)
    list(APPEND links ${layer_links})
  endforeach()
  list(FILTER links EXCLUDE REGEX "^(trireme_.*|libtorch)$")
  list(REMOVE_DUPLICATES links)
  set(packages ${links})
  list(FILTER packages INCLUDE REGEX "::")
  list(TRANSFORM packages REPLACE "::.*" "")

  set(library trireme_bundle_${name})
  add_library(${library} ${objects})
  target_link_libraries(${library} PRIVATE ${links})
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_20)
  # Where programs find the module of MPI, if they ever load it.
  target_link_options(${library} INTERFACE
                      "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${module_folder}>")
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX EXPORT_NAME ${name} OUTPUT_NAME ${bundle_OUTPUT}
                        TRIREME_LAYERS "${layers}" VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                        INSTALL_RPATH "$ORIGIN/trireme")
  if(bundle_BASE AND NOT BUILD_SHARED_LIBS)
    target_link_libraries(${library} PUBLIC trireme_bundle_${bundle_BASE})
  endif()
  set(trireme_${name}_packages ${packages} PARENT_SCOPE)
endfunction()
