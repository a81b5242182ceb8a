# cmake -DOUT=FILE -DWEB=FOLDER -P embed.cmake: the files of the page as a C++ source.
set(scripts format bundle stacks layout flame tables source spans timeline memory seen first main)

# A string literal may have 64 KiB and no more everywhere: raw ones of 8,000 bytes, behind one another.
function(literals text out)
  set(result "")
  string(LENGTH "${text}" size)
  set(at 0)
  while(at LESS size)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND result "    out += R\"page(${piece})page\";\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

set(script "\n'use strict';\n")
foreach(name IN LISTS scripts)
  file(READ ${WEB}/${name}.js text)
  # Comments, indentation and lines within expressions are for those who read the source. No text of the scripts goes
  # over several lines, or has two blanks before two slashes.
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "  //[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(REGEX REPLACE "([,;{])\n" "\\1" text "${text}")
  string(APPEND script "${text}")
endforeach()
file(READ ${WEB}/page.css style)
file(READ ${WEB}/page.html frame)
string(SHA256 script_hash "${script}")
string(SHA256 style_hash "${style}")
literals("${script}" script_code)
literals("${style}" style_code)
literals("${frame}" frame_code)
file(WRITE ${OUT}.new
"#include \"report/page/assets.hpp\"

namespace prof::page {

std::string html_asset() {
    std::string out;
${frame_code}    return out;
}
std::string style_asset() {
    std::string out;
${style_code}    return out;
}
std::string script_asset() {
    std::string out;
${script_code}    return out;
}
extern const std::string_view kStyleHash = \"${style_hash}\";
extern const std::string_view kScriptHash = \"${script_hash}\";

}  // namespace prof::page
")
configure_file(${OUT}.new ${OUT} COPYONLY)
