// The tables of files and of descriptors.
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agent/files/descriptor_table.hpp"
#include "agent/files/file_table.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;
using files::FileId;
using files::FileTable;
using files::Group;
using files::Kind;

TEST_CASE("agent: a name has one number, and groups keep theirs apart") {
  const test::AgentGuard guard;
  const auto table = std::make_unique<FileTable>();
  const FileId a = table->intern(guard, Group::File, "/a/file");
  CHECK(a != 0);
  CHECK(table->intern(guard, Group::File, "/a/file") == a);
  CHECK(table->intern(guard, Group::Device, "/a/file") != a);
  CHECK(table->find(Group::File, "/a/file") == a);
  CHECK(table->find(Group::File, "/a/fil") == 0);
  CHECK(table->name(a) == "/a/file");
  CHECK(table->group(a) == Group::File);
}

// Catches a table that what was only looked for fills.
TEST_CASE("agent: what is only looked for is told by its directory") {
  const test::AgentGuard guard;
  const auto table = std::make_unique<FileTable>();
  const FileId known = table->intern(guard, Group::File, "/a/known");
  CHECK(table->intern_passing(guard, "/a/known") == known);
  const FileId directory = table->intern_passing(guard, "/a/missing");
  CHECK(table->name(directory) == "/a");
  CHECK(table->group(directory) == Group::Files);
  CHECK(table->intern_passing(guard, "/a/another") == directory);
  CHECK(table->intern_passing(guard, "/a") == directory);
  CHECK(table->files() == 1);
}

TEST_CASE("agent: names beyond the bound are told together, first by directory, then all as one") {
  const log::Header& header = test::agent_log();
  const test::AgentGuard guard;
  const auto table = std::make_unique<FileTable>();
  const std::uint64_t lost = header.loss[static_cast<std::size_t>(log::Loss::FileTableFull)];
  std::set<FileId> numbers;
  for (int i = 0; i < 10'000; ++i) {
    const std::string directory = "/tmp/directory-" + std::to_string(i / 2);
    const FileId id = table->intern(guard, Group::File, directory + "/file-" + std::to_string(i));
    REQUIRE(id != 0);
    numbers.insert(id);
  }
  CHECK(table->files() == FileTable::kMostFiles);
  CHECK(numbers.size() == FileTable::kMostFiles + FileTable::kMostDirectories + 1);
  CHECK(table->find(Group::File, "/tmp/directory-0/file-0") != 0);
  const FileId by_directory = table->intern(guard, Group::File, "/tmp/directory-1000/new");
  CHECK(table->name(by_directory) == "/tmp/directory-1000");
  const FileId other = table->intern(guard, Group::File, "/tmp/directory-4999/new");
  CHECK(table->name(other) == "(other files)");
  CHECK(table->group(other) == Group::Other);
  CHECK(header.loss[static_cast<std::size_t>(log::Loss::FileTableFull)] - lost == 10'000 - FileTable::kMostFiles + 2);
  for (std::uint32_t i = 0; i < FileTable::kMostOthers; ++i) {
    const FileId pipe = table->intern(guard, Group::Pipe, "pipe:[" + std::to_string(i) + "]");
    CHECK(table->group(pipe) == Group::Pipe);
  }
  CHECK(table->name(table->intern(guard, Group::Pipe, "pipe:[4711]")) == "(other pipes)");
  CHECK(table->name(table->intern(guard, Group::Socket, "tcp 10.0.0.1:80")) == "(other sockets)");
}

TEST_CASE("agent: two threads that meet the same names agree on their numbers") {
  const test::AgentGuard guard;
  const auto table = std::make_unique<FileTable>();
  std::vector<FileId> ids[2];
  std::thread threads[2];
  for (int t = 0; t < 2; ++t) {
    threads[t] = std::thread([&, t] {
      for (int i = 0; i < 1500; ++i) {
        const int n = t == 0 ? i : 1499 - i;
        ids[t].push_back(table->intern(guard, Group::File, "/names/" + std::to_string(n)));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t i = 0; i < 1500; ++i) CHECK(ids[0][i] == ids[1][1499 - i]);
  CHECK(std::set<FileId>(ids[0].begin(), ids[0].end()).size() == 1500);
}

TEST_CASE("agent: descriptors are kept by number, whatever the number is") {
  const auto table = std::make_unique<files::DescriptorTable>();
  CHECK(table->make(-1) == nullptr);
  CHECK(table->make(1 << 30) == nullptr);
  CHECK(table->find(5000) == nullptr);
  for (const int fd : {0, 255, 256, 5000, (1 << 20) - 1}) {
    files::Descriptor* d = table->make(fd);
    REQUIRE(d != nullptr);
    CHECK(table->find(fd) == d);
    CHECK_FALSE(d->known());
    d->begin(static_cast<FileId>(fd + 1), Kind::File, false);
  }
  CHECK(table->find(256)->get().file == 257);
  table->forget(256, ~0U);
  CHECK(table->find(255)->known());
  CHECK_FALSE(table->find(256)->known());
  CHECK_FALSE(table->find((1 << 20) - 1)->known());
}

// Catches an answer about one descriptor that is stored for the next one at its number.
TEST_CASE("agent: what was learned about a descriptor is not believed of its successor") {
  const auto table = std::make_unique<files::DescriptorTable>();
  files::Descriptor& d = *table->make(3);
  d.begin(7, Kind::Unknown, false);
  d.position.store(100);
  const files::What seen = d.get();
  d.begin(7, Kind::Unknown, false);  // closed, and opened by the same name
  CHECK(d.position.load() == 0);
  files::What now = seen;
  now.kind = Kind::Pipe;
  CHECK_FALSE(d.learn(seen, now));
  CHECK(d.get().kind == Kind::Unknown);
  const files::What again = d.get();
  now = again;
  now.kind = Kind::Device;
  now.checked = true;
  CHECK(d.learn(again, now));
  CHECK(d.get().kind == Kind::Device);
  CHECK(d.get().file == 7);
  files::Descriptor& copy = *table->make(4);
  copy.copy(d);
  CHECK(copy.get().kind == Kind::Device);
  CHECK(copy.get().file == 7);
}
