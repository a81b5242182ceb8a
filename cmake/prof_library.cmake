# What prof's code is compiled with, in report/ and once more, with sanitizers, for the tests.
set(PROF_FOLDING_FOLDERS read model symbols fold)
set(PROF_REPORT_FOLDERS show findings summary formats page cli)
set(PROF_SANITIZERS -fsanitize=address,undefined -fno-omit-frame-pointer)

# prof_library(NAME TYPE FOLDER...): a library of the files below those folders of report/.
function(prof_library name type)
  set(sources)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} ${type} ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PUBLIC PROF_VERSION="${PROJECT_VERSION}")
  # Functions and lines, for backtraces. Types and variables would take as long again to compile.
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1>)
  target_link_libraries(${name} PUBLIC fmt::fmt spdlog::spdlog Threads::Threads PRIVATE prof_warnings)
  if(PROF_FUZZ)
    target_compile_options(${name} PUBLIC ${PROF_SANITIZERS} -fsanitize=fuzzer-no-link)
    target_link_options(${name} PUBLIC ${PROF_SANITIZERS})
  endif()
endfunction()
