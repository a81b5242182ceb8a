// What a Java method is called.
#pragma once

#include <string_view>

#include "agent/core/text.hpp"

namespace prof::java {

// Of the method `name` in the class with that signature ("Ljava/util/HashMap$Node;"): "java.util.HashMap$Node.hash".
// Classes that the VM made, of lambdas and the like, have a number behind their names, another one in each run: that is
// left out.
void write_method(TextBuilder& text, std::string_view signature, std::string_view name);

// The path of a class's source file below the folder of all sources: "java/util/HashMap.java".
void write_source(TextBuilder& text, std::string_view signature, std::string_view file);

}  // namespace prof::java
