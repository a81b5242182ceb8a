// What a FILE has in its buffer, by the public layout of glibc's struct _IO_FILE: only a call that has to go to the
// kernel is worth a clock. Nothing here takes the stream's lock: it is a guess when threads share a stream, and what is
// guessed is no more than whether a call is recorded.
//
// What cannot be seen: printf, scanf and their families, and the wide characters' functions, which go to the kernel
// from inside of libc whenever their buffer asks for it; and what exit writes out at the end. What they wrote stands in
// the buffer of the next call that is seen, or is missing.
#pragma once

#include <stdio.h>

#include <cstring>

#include "interpose/file/record.hpp"

namespace prof::stdio {

enum Flags : int { kUnbuffered = 0x2, kFailed = 0x20, kInBackup = 0x100, kLineBuffered = 0x200, kPutting = 0x800 };

// Bytes that can be read without the kernel.
inline size_t ready(const FILE* f) {
  return f->_IO_read_end > f->_IO_read_ptr ? static_cast<size_t>(f->_IO_read_end - f->_IO_read_ptr) : 0;
}
// Bytes that were written, and not to the kernel.
inline size_t pending(const FILE* f) {
  return (f->_flags & kPutting) != 0 && f->_IO_write_ptr > f->_IO_write_base
             ? static_cast<size_t>(f->_IO_write_ptr - f->_IO_write_base)
             : 0;
}

// Whether a descriptor is behind it, and no memory or functions of the program's.
inline bool has_descriptor(const FILE* f) { return f->_fileno >= 0; }

// Whether reading `n` bytes needs the kernel.
inline bool must_read(const FILE* f, size_t n) {
  return n > ready(f) && has_descriptor(f) && (f->_flags & kInBackup) == 0;
}
// Whether reading up to `end`, of `most` bytes, does.
inline bool must_read_until(const FILE* f, int end, size_t most) {
  const size_t held = ready(f);
  if (held >= most || !has_descriptor(f) || (f->_flags & kInBackup) != 0) return false;
  return held == 0 || std::memchr(f->_IO_read_ptr, end, held) == nullptr;
}
// Whether writing `n` bytes does; `ends_line`: there is the end of a line among them.
inline bool must_write(const FILE* f, size_t n, bool ends_line) {
  constexpr size_t kLeastBuffer = 1024;  // that libc gives a stream at its first use
  if (!has_descriptor(f)) return false;
  if ((f->_flags & kUnbuffered) != 0) return n > 0;
  if (f->_IO_buf_base == nullptr) return n >= kLeastBuffer;
  const bool line = (f->_flags & kLineBuffered) != 0;
  if (line && ends_line) return true;
  const char* from = (f->_flags & kPutting) != 0 ? f->_IO_write_ptr : f->_IO_buf_base;
  return from > f->_IO_buf_end || n > static_cast<size_t>(f->_IO_buf_end - from);
}
inline bool is_line_buffered(const FILE* f) { return (f->_flags & kLineBuffered) != 0; }

inline int error_of(const FILE* f, int flags_before) {
  return (f->_flags & ~flags_before & kFailed) != 0 ? (errno != 0 ? errno : EIO) : 0;
}

// A call that has to read. Of what it took from the kernel, `n` bytes went to the caller and the rest into the buffer.
class Reading {
 public:
  explicit Reading(const FILE* f) : file_(f), flags_(f->_flags), held_(ready(f)), fd_(f->_fileno) {}
  int fd() const { return fd_; }
  void done(wait::Call& call, size_t n) const {
    const size_t now = n + ready(file_);
    end(call, now > held_ ? now - held_ : 0);
  }
  // Where the buffer was filled once at most: what stands in it came from the kernel just now.
  void filled(wait::Call& call) const {
    end(call, file_->_IO_read_end > file_->_IO_read_base
                  ? static_cast<size_t>(file_->_IO_read_end - file_->_IO_read_base)
                  : 0);
  }
  size_t held() const { return held_; }

 private:
  void end(wait::Call& call, size_t bytes) const {
    if (!call) return;
    const int error = error_of(file_, flags_);
    call.done(error, bytes);
    files::used(fd_, call,
                {.what = files::Use::What::Read, .failed = error != 0, .bytes = static_cast<std::int64_t>(bytes)});
  }

  const FILE* file_;
  int flags_;
  size_t held_;
  int fd_;
};

// A call that has to write; `n`: how many bytes the caller gave that were taken.
class Writing {
 public:
  explicit Writing(const FILE* f) : file_(f), flags_(f->_flags), pending_(pending(f)), fd_(f->_fileno) {}
  int fd() const { return fd_; }
  void done(wait::Call& call, size_t n) const {
    if (!call) return;
    const int error = error_of(file_, flags_);
    const size_t left = pending(file_), all = pending_ + n;
    const size_t bytes = all > left ? all - left : 0;
    call.done(error, bytes);
    files::used(fd_, call,
                {.what = files::Use::What::Write, .failed = error != 0, .bytes = static_cast<std::int64_t>(bytes)});
  }

 private:
  const FILE* file_;
  int flags_;
  size_t pending_;
  int fd_;
};

}  // namespace prof::stdio
