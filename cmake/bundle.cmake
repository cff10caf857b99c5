# trireme_bundle(NAME OUTPUT name LAYERS layer... [BASE bundle])
#
# Installs several layers as one library of all their objects, which users find as trireme::NAME. It is an
# archive, or with BUILD_SHARED_LIBS a shared library. An archive is linked with the archive of BASE's layers;
# a shared library contains these layers itself, because it exports only the API. Users see the headers in
# include/, and the libraries that the objects need are linked to their programs; they do not see our layers,
# our flags or third-party headers. trireme_NAME_packages lists the packages to find first.
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
  # The folder where programs find the MPI module, if they ever load it.
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
