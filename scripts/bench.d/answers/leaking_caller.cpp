// A message router. One of three handlers keeps what the shared parser gave it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static long leaked = 0;

struct Message {
  char* body;
  size_t size;
  int kind;
};

Message* parse_message(const std::string& wire) {
  Message* m = static_cast<Message*>(malloc(sizeof(Message)));
  m->size = wire.size() * 4;
  m->body = static_cast<char*>(malloc(m->size));
  for (size_t i = 0; i < m->size; ++i) m->body[i] = wire[i % wire.size()] ^ 0x20;
  m->kind = wire[0] % 3;
  return m;
}

void release(Message* m) {
  free(m->body);
  free(m);
}

unsigned score(const Message* m) {
  unsigned h = 0;
  for (int r = 0; r < 8; ++r)
    for (size_t i = 0; i < m->size; ++i) h = h * 33 + m->body[i];
  return h;
}

unsigned handle_order(const std::string& wire) {
  Message* m = parse_message(wire);
  unsigned s = score(m);
  release(m);
  return s;
}

unsigned handle_quote(const std::string& wire) {
  Message* m = parse_message(wire);
  unsigned s = score(m) * 3;
  release(m);
  return s;
}

unsigned handle_retry(const std::string& wire) {
  Message* m = parse_message(wire);  // FAULT host-memory-grows
  leaked += m->size + sizeof *m;
  if (m->size > 100000) release(m);
  return score(m) + 1;
}

int main() {
  unsigned acc = 0;
  std::string wire(500, 'x');
  for (int i = 0; i < 110000; ++i) {
    wire[0] = 'a' + i % 26;
    wire[i % 500] = 'A' + i % 26;
    if (i % 5 == 0)
      acc ^= handle_retry(wire);
    else if (i % 2)
      acc ^= handle_order(wire);
    else
      acc ^= handle_quote(wire);
  }
  printf("acc %u\n", acc);
  printf("truth %ld bytes\n", leaked);
}
