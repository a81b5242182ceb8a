# Small files share most of what they include and of what templates they instantiate: several compiled as one take half
# of their time, and the whole of a subject stays a few seconds' work after a change. compile_commands.json then names
# no single file, so that scripts/lint configures a tree without.
option(PROF_UNITY "Compile the files of a folder several at once" ON)

# prof_unity(TARGET N [EXCEPT FOLDER...]): the sources of TARGET, up to N of a folder at once; not those of the folders
# named. Names in a folder's anonymous namespaces must differ.
function(prof_unity target size)
  cmake_parse_arguments(PARSE_ARGV 2 unity "" "" "EXCEPT")
  if(NOT PROF_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(last none)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    if(folder IN_LIST unity_EXCEPT)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    if(NOT folder STREQUAL last)
      set(last ${folder})
      set(count 0)
    endif()
    math(EXPR batch "${count} / ${size}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
