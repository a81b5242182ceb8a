// Asks for programs with what cannot be read: the answer is EFAULT.
#include <fcntl.h>

#include "victim.h"

#define TRIED(name, call) \
  do {                    \
    EXPECT((call) == -1); \
    fact(name, errno);    \
  } while (0)

int main(void) {
  char* volatile const unreadable = (char*)8;
  char* const nowhere = unreadable;
  char* arguments[] = {"true", NULL};
  char* entries[] = {"A=1", nowhere, NULL};
  TRIED("entry", execve("/bin/true", arguments, entries));
  TRIED("path", execve(nowhere, arguments, arguments));
  TRIED("environment", execve("/bin/true", arguments, (char**)nowhere));
  TRIED("arguments", execve("/bin/true", (char**)nowhere, arguments + 1));
  const int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
  TRIED("opened", fexecve(fd, arguments, entries));
  TRIED("at", execveat(fd, "", arguments, (char**)nowhere, AT_EMPTY_PATH));
  return 0;
}
