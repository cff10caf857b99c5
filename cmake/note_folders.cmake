# Run by `cmake --install` before anything is copied: which of the folders are not there.
# trireme_folders: where things may go, below the prefix.
set(trireme_prefix "${CMAKE_INSTALL_PREFIX}")
cmake_path(ABSOLUTE_PATH trireme_prefix)
set(trireme_root "$ENV{DESTDIR}${trireme_prefix}")
set(trireme_missing)
foreach(folder IN LISTS trireme_folders)
  set(path "${trireme_root}/${folder}")
  while(NOT EXISTS "${path}")
    list(APPEND trireme_missing "${path}")
    cmake_path(GET path PARENT_PATH path)
  endwhile()
endforeach()
