# Run by `cmake --install` before anything is copied: which folders are going to be made, innermost first.
# trireme_folders: where things go, below the prefix.
set(trireme_made)
foreach(folder IN LISTS trireme_folders)
  set(path $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${folder})
  while(NOT EXISTS "${path}")
    list(APPEND trireme_made "${path}")
    cmake_path(GET path PARENT_PATH path)
  endwhile()
endforeach()
