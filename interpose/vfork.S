// vfork, as a jump to libc's: the child runs on its parent's stack, and a frame of ours would be gone when the parent
// comes back to it. On the way the thread notes that it may be in a child, which must not store anything where its
// parent finds it: in_vfork_child of wait/call.hpp. clone likewise, where the child shares its parent's memory and is no
// thread of it.
#if !defined(__x86_64__)
#error "port interpose/vfork.S"
#endif

#define VFORKED 48  // of Tls; vfork.cpp compares
#define KINDS 0x10100  // CLONE_VM | CLONE_THREAD
#define BORROWS 0x100  // CLONE_VM alone

  .text
  .globl vfork, __vfork
  .type vfork, @function
  .type __vfork, @function
  .p2align 4
vfork:
__vfork:
  .cfi_startproc
  endbr64
  movq _ZN4prof3tlsE@gottpoff(%rip), %rax
  movb $1, %fs:VFORKED(%rax)
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call prof_find_vfork
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size vfork, . - vfork
  .size __vfork, . - __vfork

// clone(function, stack, flags, argument, parent_tid, tls, child_tid): all arguments stay where they are.
  .globl clone, __clone
  .type clone, @function
  .type __clone, @function
  .p2align 4
clone:
__clone:
  .cfi_startproc
  endbr64
  movl %edx, %r10d
  andl $KINDS, %r10d
  cmpl $BORROWS, %r10d
  jne 1f
  movq _ZN4prof3tlsE@gottpoff(%rip), %r10
  movb $1, %fs:VFORKED(%r10)
1:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %r8
  .cfi_adjust_cfa_offset 8
  pushq %r9
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call prof_find_clone
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size clone, . - clone
  .size __clone, . - __clone

  .section .note.GNU-stack, "", @progbits
