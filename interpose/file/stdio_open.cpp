// Streams opened, closed and moved in.
#include <fcntl.h>

#include "interpose/file/stdio.hpp"
#include "interpose/hook/hook.hpp"

PROF_REAL_LATE(fopen);
PROF_REAL_LATE(fopen64);
PROF_REAL_LATE(freopen);
PROF_REAL_LATE(freopen64);
PROF_REAL_LATE(fclose);
PROF_REAL_LATE(tmpfile);
PROF_REAL_LATE(tmpfile64);
PROF_REAL_LATE(fseek);
PROF_REAL_LATE(fseeko);
PROF_REAL_LATE(fseeko64);
PROF_REAL_LATE(fsetpos);
PROF_REAL_LATE(fsetpos64);
PROF_REAL_LATE(rewind);

PROF_WAIT_FUNCTION(fopen);
PROF_WAIT_FUNCTION(freopen);
PROF_WAIT_FUNCTION(fclose);
PROF_WAIT_FUNCTION(tmpfile);
PROF_WAIT_FUNCTION(fseek);

using prof::files::class_of;
using prof::files::Use;
using prof::wait::Call;
using prof::wait::WaitClass;
namespace stdio = prof::stdio;

namespace {

int descriptor_of(const FILE* f) { return f != nullptr && stdio::has_descriptor(f) ? f->_fileno : -1; }

// `open_it()`; in the exported function's own frame, as all that follow.
template <class Open>
[[gnu::always_inline]] inline FILE* opening(const char* path, Open open_it) {
  Call call(function_fopen, WaitClass::File);
  FILE* f = open_it();
  prof::opened(call, descriptor_of(f), AT_FDCWD, path, 0);
  return f;
}

template <class Open>
[[gnu::always_inline]] inline FILE* opening_again(const char* path, FILE* f, Open open_it) {
  prof::files::closed(descriptor_of(f));
  Call call(function_freopen, WaitClass::File);
  FILE* again = open_it();
  if (path != nullptr) {
    prof::opened(call, descriptor_of(again), AT_FDCWD, path, 0);
  } else if (call) {  // the same file in another mode: by a name that is libc's own
    call.done(again == nullptr ? errno : 0);
  }
  return again;
}

template <class Open>
[[gnu::always_inline]] inline FILE* opening_nameless(Open open_it) {
  Call call(function_tmpfile, WaitClass::File);
  FILE* f = open_it();
  prof::opened(call, descriptor_of(f), AT_FDCWD, P_tmpdir, O_TMPFILE);
  return f;
}

// Moving in the buffer needs no kernel; out of it, the kernel is told and the buffer filled anew.
template <class Seek>
[[gnu::always_inline]] inline int seeking(FILE* f, Seek seek) {
  if (!stdio::has_descriptor(f)) return seek();
  const int fd = f->_fileno;
  const size_t pending = stdio::pending(f);
  const char* end = f->_IO_read_end;
  const off64_t at = f->_offset;
  Call call(function_fseek, class_of(fd));
  const int r = seek();
  if (!call) return r;
  const bool filled = r == 0 && (f->_IO_read_end != end || f->_offset != at);
  const size_t bytes = pending != 0 ? pending
                       : filled && f->_IO_read_end > f->_IO_read_base
                           ? static_cast<size_t>(f->_IO_read_end - f->_IO_read_base)
                           : 0;
  call.done(r != 0 ? errno : 0, bytes);
  if (pending == 0) prof::files::used(fd, call, {.what = Use::What::Seek, .failed = r != 0});
  if (bytes != 0) {
    prof::files::used(fd, call,
                      {.what = pending != 0 ? Use::What::Write : Use::What::Read,
                       .failed = r != 0,
                       .bytes = static_cast<std::int64_t>(bytes)});
  }
  return r;
}

}  // namespace

PROF_EXPORT FILE* fopen(const char* path, const char* mode) {
  return opening(path, [=] { return real_fopen(path, mode); });
}
PROF_EXPORT FILE* fopen64(const char* path, const char* mode) {
  return opening(path, [=] { return real_fopen64(path, mode); });
}
PROF_EXPORT FILE* freopen(const char* path, const char* mode, FILE* f) {
  return opening_again(path, f, [=] { return real_freopen(path, mode, f); });
}
PROF_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* f) {
  return opening_again(path, f, [=] { return real_freopen64(path, mode, f); });
}
PROF_EXPORT FILE* tmpfile() {
  return opening_nameless([] { return real_tmpfile(); });
}
PROF_EXPORT FILE* tmpfile64() {
  return opening_nameless([] { return real_tmpfile64(); });
}

// What the buffer still held is written, and then the descriptor closed.
PROF_EXPORT int fclose(FILE* f) {
  const int fd = descriptor_of(f);
  const size_t pending = fd >= 0 ? stdio::pending(f) : 0;
  const prof::files::Closing closing = prof::files::closing(fd, pending != 0);
  if (fd < 0) return real_fclose(f);
  Call call(function_fclose, closing.what);
  const int r = real_fclose(f);
  if (call) {
    call.done(r != 0 ? errno : 0, pending);
    prof::files::used(closing, call,
                      {.what = pending != 0 ? Use::What::Write : Use::What::Other,
                       .failed = r != 0,
                       .bytes = static_cast<std::int64_t>(pending)});
  }
  return r;
}

PROF_EXPORT int fseek(FILE* f, long offset, int from) {
  return seeking(f, [=] { return real_fseek(f, offset, from); });
}
PROF_EXPORT int fseeko(FILE* f, off_t offset, int from) {
  return seeking(f, [=] { return real_fseeko(f, offset, from); });
}
PROF_EXPORT int fseeko64(FILE* f, off64_t offset, int from) {
  return seeking(f, [=] { return real_fseeko64(f, offset, from); });
}
PROF_EXPORT int fsetpos(FILE* f, const fpos_t* to) {
  return seeking(f, [=] { return real_fsetpos(f, to); });
}
PROF_EXPORT int fsetpos64(FILE* f, const fpos64_t* to) {
  return seeking(f, [=] { return real_fsetpos64(f, to); });
}
PROF_EXPORT void rewind(FILE* f) {
  seeking(f, [=] {
    real_rewind(f);
    return 0;
  });
}
