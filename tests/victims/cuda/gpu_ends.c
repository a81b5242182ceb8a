// How processes with a GPU end and multiply: gpu_ends HOW. The parent's kernels are launched by in_parent, the
// child's by in_child.
#include "cuda_api.h"

KERNEL(work_200us)

static void in_parent(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(work_200us, NULL));
}
static void in_child(int count) {
  for (int i = 0; i < count; ++i) CUDA(LAUNCH(work_200us, NULL));
}

static int wait_for_child(pid_t child) {
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "exit";
  if (strcmp(how, "exit") == 0 || strcmp(how, "_exit") == 0 || strcmp(how, "quick") == 0) {
    in_parent(40);
    CUDA(cudaDeviceSynchronize());
    fact("done", 40);
    if (*how == '_') _exit(7);
    if (*how == 'q') quick_exit(7);
    return 7;
  }
  if (strcmp(how, "asynchronous") == 0) {  // ends while the device still works
    in_parent(40);
    return 0;
  }
  if (strcmp(how, "exec") == 0) {
    in_parent(40);
    CUDA(cudaDeviceSynchronize());
    execl("/proc/self/exe", argv[0], "exit", (char*)NULL);
    return VICTIM_FAILED;
  }
  if (strcmp(how, "kill") == 0) {  // until somebody kills it
    for (;;) {
      in_parent(10);
      CUDA(cudaDeviceSynchronize());
    }
  }
  if (strcmp(how, "child-cannot") == 0) {  // as CUDA has it: a child of a process with a GPU has none
    in_parent(10);
    CUDA(cudaDeviceSynchronize());
    const pid_t child = fork();
    if (child == 0) {
      EXPECT(cudaDeviceSynchronize() == 3);
      EXPECT(LAUNCH(work_200us, NULL) == 3);
      exit(5);
    }
    EXPECT(wait_for_child(child) == 5);
    in_parent(10);
    CUDA(cudaDeviceSynchronize());
    return 0;
  }
  if (strcmp(how, "child-without") == 0) {
    in_parent(10);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 20; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        free(malloc(1000));
        burn_ms(5);
        exit(0);
      }
      in_parent(1);
      EXPECT(wait_for_child(child) == 0);
    }
    CUDA(cudaDeviceSynchronize());
    return 0;
  }
  if (strcmp(how, "children") == 0) {  // forked before anyone used the GPU: each has its own
    pid_t children[3];
    for (int i = 0; i < 3; ++i) {
      children[i] = fork();
      if (children[i] == 0) {
        in_child(20 + i);
        CUDA(cudaDeviceSynchronize());
        exit(0);
      }
    }
    in_parent(10);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 3; ++i) EXPECT(wait_for_child(children[i]) == 0);
    return 0;
  }
  return VICTIM_FAILED;
}
