/* MK_CLONES before a function: the same loops once more for processors with AVX2, chosen at load time. Without fused
 * multiply-add (-ffp-contract=off) the bits are the same. Sanitizers instrument the resolver, which runs before their
 * own start-up. */
#ifndef MAXK_SIM_BASE_CLONES_H
#define MAXK_SIM_BASE_CLONES_H

#if defined __x86_64__ && defined __gnu_linux__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ &&              \
    !defined __SANITIZE_THREAD__ && !defined MAXK_NO_CLONES
#define MK_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define MK_CLONES
#endif

#endif
