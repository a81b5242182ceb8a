#include "report/symbols/java_folders.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <system_error>

#include "report/model/text.hpp"

namespace prof::symbols {
namespace {

using Path = std::filesystem::path;

constexpr std::array<std::string_view, 5> kEndings = {".java", ".kt", ".scala", ".groovy", ".clj"};
constexpr const char* kFolders[] = {
    "", "src/main/java", "src/main/kotlin", "src/main/scala", "src/main/groovy", "src/test/java", "src", "java"};
constexpr std::size_t kMostBeside = 256;  // folders that are looked into
constexpr int kMostAbove = 5;             // of a folder of classes, as app/build/classes/java/main

class Folders {
 public:
  void add_all(const Path& around) {
    for (const char* folder : kFolders) {
      std::error_code error;
      Path path = *folder == '\0' ? around : around / folder;
      if (std::filesystem::is_directory(path, error) && std::find(out.begin(), out.end(), path) == out.end())
        out.push_back(std::move(path));
    }
  }
  // The modules of a project.
  void add_below(const Path& around) {
    std::error_code error;
    std::size_t seen = 0;
    for (auto at = std::filesystem::directory_iterator(around, error); !error && at != std::filesystem::end(at);
         at.increment(error)) {
      if (++seen > kMostBeside) return;
      const Path module = at->path();
      std::error_code ignored;
      if (module.filename().string().starts_with('.') || !std::filesystem::is_directory(module, ignored)) continue;
      for (const char* folder : {"src/main/java", "src/main/kotlin", "src/main/scala", "src/main/groovy"}) {
        if (std::filesystem::is_directory(module / folder, ignored)) out.push_back(module / folder);
      }
    }
  }
  void add_above(Path from) {
    for (int i = 0; i < kMostAbove && from.has_relative_path(); ++i) {
      std::error_code error;
      if (std::filesystem::is_directory(from / "src", error)) return add_all(from);
      from = from.parent_path();
    }
  }

  std::vector<Path> out;
};

// What stands behind -cp and its kind, or -jar.
std::vector<std::string> class_path(const model::Process& process) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i + 1 < process.argv.size(); ++i) {
    const std::string& option = process.argv[i];
    if (option == "-jar") out.push_back(process.argv[i + 1]);
    if (option != "-cp" && option != "-classpath" && option != "--class-path") continue;
    const std::string& all = process.argv[i + 1];
    for (std::size_t from = 0; from <= all.size();) {
      const std::size_t end = std::min(all.find(':', from), all.size());
      if (end > from) out.push_back(all.substr(from, end - from));
      from = end + 1;
    }
  }
  return out;
}

}  // namespace

bool is_java_source(const std::string& name) {
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_of_java_itself(const std::string& name) {
  constexpr std::array<std::string_view, 5> kPackages = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
  return begins_with_any(name, kPackages);
}

std::vector<Path> java_folders(const model::Run& run) {
  Folders folders;
  for (const model::Process& process : run.processes) {
    if (process.cwd.empty() || !model::has_library(process, "/libjvm.so")) continue;
    const Path started = process.cwd;
    folders.add_all(started);
    folders.add_below(started);
    for (const std::string& word : process.argv) {  // java ../tools/Program.java
      if (is_java_source(word)) folders.add_all((started / word).lexically_normal().parent_path());
    }
    for (const std::string& entry : class_path(process)) {
      const Path classes = (started / entry).lexically_normal();
      folders.add_above(classes);
      std::error_code error;  // a file is an archive
      if (std::filesystem::is_directory(classes, error)) folders.add_all(classes);
    }
  }
  return folders.out;
}

}  // namespace prof::symbols
