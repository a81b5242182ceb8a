// Where programs of Java have their sources: a class knows its file by its place below the folder of all sources, not
// where that folder is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/model/profile.hpp"

namespace prof::symbols {

// Whether it names a source of Java or of a language that its VM runs as well.
bool is_java_source(const std::string& name);

// Whether it is one of Java's own, by its place below the folder of all sources.
bool is_of_java_itself(const std::string& name);

// Folders of sources that are there, as programs, Maven and Gradle have them: where the run's Java processes were
// started, in the folders right below that, around what is on their class path, and where a file is that `java
// FILE.java` compiles.
std::vector<std::filesystem::path> java_folders(const model::Run& run);

}  // namespace prof::symbols
