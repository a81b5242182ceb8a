#include "report/symbols/name_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace prof::symbols {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kMagic = "libprof names 1\n";
constexpr std::uintmax_t kMostOfOne = std::uintmax_t{64} << 20;

// FNV-1a (64 bits): against damage, and for names of files.
std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Texts once each: a file of a module's debug information is that of a thousand addresses.
class Texts {
 public:
  std::uint64_t operator()(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, all_.size());
    if (is_new) all_.push_back(text);
    return found->second;
  }
  const Json& all() const { return all_; }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
  Json all_ = Json::array();
};

std::string encode(const std::string& key, const KnownNames& names) {
  Texts texts;
  Json rows = Json::array();
  for (const auto& [address, known] : names) {
    for (const std::uint64_t number : {address, static_cast<std::uint64_t>(known.source), known.unresolved,
                                       static_cast<std::uint64_t>(known.frames.size())})
      rows.push_back(number);
    for (const SourceFrame& frame : known.frames) {
      for (const std::uint64_t number :
           {texts(frame.name), texts(frame.file), std::uint64_t{frame.line}, texts(frame.at_file),
            std::uint64_t{frame.at_line}, std::uint64_t{frame.unoptimised}})
        rows.push_back(number);
    }
  }
  return Json{{"key", key}, {"texts", texts.all()}, {"rows", std::move(rows)}}.dump();
}

// The rows of a file, one number after the other. Throws where there is none.
class Numbers {
 public:
  explicit Numbers(const Json& rows) : at_(rows.begin()), end_(rows.end()) {}
  bool any() const { return at_ != end_; }
  std::uint64_t next(std::uint64_t most = UINT64_MAX) {
    if (at_ == end_) throw std::out_of_range("rows");
    const auto value = (at_++)->get<std::uint64_t>();
    if (value > most) throw std::out_of_range("row");
    return value;
  }
  std::uint32_t next_line() { return static_cast<std::uint32_t>(next(UINT32_MAX)); }

 private:
  Json::const_iterator at_, end_;
};

KnownNames decode(std::string_view payload, const std::string& key) {
  // As text: unlike that of the binary formats, its parser does not nest as deep as what it reads.
  const Json all = Json::parse(payload);
  KnownNames names;
  if (all.at("key").get_ref<const std::string&>() != key) return names;
  const auto texts = all.at("texts").get<std::vector<std::string>>();
  Numbers numbers(all.at("rows"));
  while (numbers.any()) {
    AddressNames& known = names[numbers.next()];
    known.source = static_cast<SymbolSource>(numbers.next(static_cast<std::uint64_t>(SymbolSource::None)));
    known.unresolved = numbers.next();
    for (std::uint64_t left = numbers.next(); left != 0; --left) {
      SourceFrame& frame = known.frames.emplace_back();
      frame.name = texts.at(numbers.next());
      frame.file = texts.at(numbers.next());
      frame.line = numbers.next_line();
      frame.at_file = texts.at(numbers.next());
      frame.at_line = numbers.next_line();
      frame.unoptimised = numbers.next(1) != 0;
    }
    if (known.frames.empty()) throw std::out_of_range("frames");
  }
  return names;
}

std::string contents(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes > kMostOfOne) return {};
  std::string all(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(all.data(), static_cast<std::streamsize>(bytes));
  all.resize(static_cast<std::size_t>(file.gcount()));
  return all;
}

// Its users alone may look into it, as into a run.
bool make_private(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  if (!fs::create_directories(folder, error)) return false;
  fs::permissions(folder, fs::perms::owner_all, error);
  return !error;
}

}  // namespace

NameCache::NameCache(const fs::path& folder, const std::string& key) : folder_(folder), key_(key) {
  if (!folder.empty()) file_ = folder / fmt::format("{:016x}.names", hash_of(key));
}

KnownNames NameCache::read() const {
  if (file_.empty()) return {};
  try {
    const std::string all = contents(file_);
    const std::size_t head = kMagic.size() + sizeof(std::uint64_t);
    if (all.size() < head || !all.starts_with(kMagic)) return {};
    std::uint64_t hash = 0;
    std::memcpy(&hash, all.data() + kMagic.size(), sizeof hash);
    const std::string_view payload = std::string_view(all).substr(head);
    if (hash != hash_of(payload)) return {};
    KnownNames names = decode(payload, key_);
    std::error_code ignored;
    fs::last_write_time(file_, fs::file_time_type::clock::now(), ignored);  // for prune()
    return names;
  } catch (const std::exception&) {
    return {};
  }
}

void NameCache::write(const KnownNames& names) const {
  if (file_.empty()) return;
  try {
    const std::string payload = encode(key_, names);
    if (payload.size() > kMostOfOne / 2 || !make_private(folder_)) return;
    const std::uint64_t hash = hash_of(payload);
    const fs::path aside =
        folder_ / fmt::format(".{}.{}.{:x}", file_.filename().string(), ::getpid(), std::random_device()());
    std::ofstream out(aside, std::ios::binary);
    out << kMagic << std::string_view(reinterpret_cast<const char*>(&hash), sizeof hash) << payload;
    out.close();
    std::error_code error;
    if (out) fs::rename(aside, file_, error);
    if (!out || error) fs::remove(aside, error);
    static std::atomic<bool> pruned{false};  // once in a process is enough
    if (!pruned.exchange(true)) prune(folder_);
  } catch (const std::exception&) {
  }
}

void NameCache::prune(const fs::path& folder, std::uintmax_t most) {
  struct File {
    fs::file_time_type used;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<File> files;
  std::error_code error;
  std::uintmax_t sum = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = at->file_size(gone);
    const auto used = at->last_write_time(gone);
    if (gone) continue;
    files.push_back({used, at->path(), bytes});
    sum += bytes;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (sum <= most) return;
    fs::remove(file.path, error);
    sum -= file.bytes;
  }
}

fs::path default_cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value != nullptr && value[0] == '/' ? value : "");
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "libprof" / "names";
  const fs::path home = variable("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "libprof" / "names";
}

}  // namespace prof::symbols
