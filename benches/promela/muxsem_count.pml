/* MUX-SEM-COUNT, step by step as in models/muxsem_count.m.
 *
 * Each statement outside of d_step, and each d_step, is one rule of the Murphi model. Without partial order
 * reduction both have the same states, and pan's transitions are the rules fired plus one. Mutual exclusion is
 * checked on entering; `critical` adds no states.
 */
#ifndef N
#define N 4
#endif
#ifndef M
#define M 3
#endif

bool x = true;          /* the semaphore; true: free */
byte critical;

active [N] proctype process() {
  byte counter;

  do
  :: true;
     d_step { x -> x = false; counter = (counter + 1) % M; critical++; assert(critical == 1) };
     true;
     d_step { critical--; x = true }
  od
}
