# What `make install` installs, and `find_package(trireme)` finds.
#
# Not under the sanitizers: whoever links what they have compiled needs the same ones.
if(TRIREME_SANITIZE)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/bundle.cmake)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/trireme)

trireme_bundle(trireme LAYERS base plan optim wire launch exec server api)
set_target_properties(trireme_bundle_trireme PROPERTIES OUTPUT_NAME trireme)
set(installed trireme trireme_bundle_trireme)
set(private_headers)
if(TARGET trireme_train)
  trireme_bundle(torch LAYERS data config train)
  set_target_properties(trireme_bundle_torch PROPERTIES OUTPUT_NAME trireme_torch)
  target_link_libraries(trireme_bundle_torch PUBLIC trireme_bundle_trireme $<INSTALL_INTERFACE:trireme::libtorch>)
  list(APPEND installed trireme_bundle_torch)
else()
  set(private_headers PATTERN torch.h EXCLUDE)
endif()
if(TARGET trireme-train)
  list(APPEND installed trireme-train)
endif()
add_custom_target(trireme_installed DEPENDS ${installed})

# Everything below goes into these folders; the first and the last step note what uninstalling has to remove.
set(folders ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR}/trireme ${package_folder} share/trireme)
if(TARGET trireme-train)
  list(APPEND folders ${CMAKE_INSTALL_LIBEXECDIR}/trireme)
endif()
install(CODE "set(trireme_folders \"${folders}\")")
install(SCRIPT cmake/note_folders.cmake)

install(TARGETS trireme RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Libraries outside of the system's folders are found where they were at link time.
set_target_properties(trireme PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
if(TARGET trireme-train)
  install(TARGETS trireme-train RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/trireme)
  set_target_properties(trireme-train PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
install(DIRECTORY include/trireme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${private_headers})
install(TARGETS trireme_bundle_trireme EXPORT trireme ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT trireme NAMESPACE trireme:: FILE triremeTargets.cmake DESTINATION ${package_folder})
if(TARGET trireme_train)
  install(TARGETS trireme_bundle_torch EXPORT trireme_torch ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT trireme_torch NAMESPACE trireme:: FILE triremeTorchTargets.cmake DESTINATION ${package_folder})
endif()
configure_file(cmake/triremeConfig.cmake.in triremeConfig.cmake @ONLY)
write_basic_package_version_file(triremeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/triremeConfig.cmake ${PROJECT_BINARY_DIR}/triremeConfigVersion.cmake
        DESTINATION ${package_folder})

install(SCRIPT cmake/note_files.cmake)
