// dlsym, as a jump to libc's: it looks at who called it, and finds the program. Only names that may be CUDA's are looked
// at on the way (probe.hpp), and the program is told of them what it would be told without us.
#if !defined(__x86_64__)
#error "port interpose/cuda/probe.S"
#endif

  .text
  .globl dlsym
  .type dlsym, @function
  .p2align 4
dlsym:
  .cfi_startproc
  endbr64
  movzbl (%rsi), %eax
  cmpb $'c', %al
  je 1f
  cmpb $'n', %al
  je 2f
  cmpb $'_', %al
  je 3f
0:
  movq prof_real_dlsym(%rip), %rax
  testq %rax, %rax
  je 5f
  jmp *%rax
1:  // cu...
  cmpb $'u', 1(%rsi)
  jne 0b
  jmp 4f
2:  // nccl...
  cmpb $'c', 1(%rsi)
  jne 0b
  cmpb $'c', 2(%rsi)
  jne 0b
  cmpb $'l', 3(%rsi)
  jne 0b
  jmp 4f
3:  // __cuda...
  cmpb $'_', 1(%rsi)
  jne 0b
  cmpb $'c', 2(%rsi)
  jne 0b
  cmpb $'u', 3(%rsi)
  jne 0b
4:
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rdx
  call prof_answer
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  je 0b
  cmpq $1, %rax
  jne 6f
  xorl %eax, %eax
6:
  ret
5:  // before the library was loaded to its end
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call prof_find_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, . - dlsym

  .section .note.GNU-stack, "", @progbits
