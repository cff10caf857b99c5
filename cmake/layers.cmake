# Reads src/layers.txt: for each folder of src/, sets trireme_uses_NAME to the list of the folders that it, or
# a folder inside it, builds on.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/layers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/layers.txt trireme_rows REGEX "^[a-z]")
foreach(row IN LISTS trireme_rows)
  string(REGEX REPLACE " +" ";" words "${row}")
  list(POP_FRONT words room namespace)
  string(REGEX REPLACE "/.*" "" layer ${room})
  list(TRANSFORM words REPLACE "/.*" "")
  list(APPEND trireme_uses_${layer} ${words})
  list(REMOVE_ITEM trireme_uses_${layer} ${layer})
  list(REMOVE_DUPLICATES trireme_uses_${layer})
endforeach()
