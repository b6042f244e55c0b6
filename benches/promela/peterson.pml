/* Peterson's mutual exclusion for N processes, step by step as in models/peterson.m.
 *
 * Each d_step is one rule of the Murphi model, and the place between two of them is its `step`. So without
 * partial order reduction both have the same states, and pan's transitions are the rules fired plus one.
 * Of the invariants, mutual exclusion is checked, on entering; `critical` adds no states.
 */
#ifndef N
#define N 4
#endif

byte level[N];          /* 0: not competing */
byte victim[N];         /* of levels 1 to N - 1; 0: nobody yet, else a process's number plus 1 */
byte critical;

/* No other process has announced the level g or a higher one. */
#define BELOW(j, g) ((j) == _pid || level[j] < (g))
#if N == 3
#define ALONE(g) (BELOW(0, g) && BELOW(1, g) && BELOW(2, g))
#elif N == 4
#define ALONE(g) (BELOW(0, g) && BELOW(1, g) && BELOW(2, g) && BELOW(3, g))
#elif N == 5
#define ALONE(g) (BELOW(0, g) && BELOW(1, g) && BELOW(2, g) && BELOW(3, g) && BELOW(4, g))
#elif N == 6
#define ALONE(g) (BELOW(0, g) && BELOW(1, g) && BELOW(2, g) && BELOW(3, g) && BELOW(4, g) && BELOW(5, g))
#endif
#define MAY_PASS (victim[goal] != _pid + 1 || ALONE(goal))

active [N] proctype process() {
  byte goal;            /* the level it works on; kept at rest */

rest:
  goal = 1;
announce:
  level[_pid] = goal;
  victim[goal] = _pid + 1;
  if
  :: d_step { MAY_PASS && goal < N - 1 -> goal++ }; goto announce
  :: d_step { MAY_PASS && goal == N - 1 -> critical++; assert(critical == 1) }
  fi;
  d_step { critical--; level[_pid] = 0 };
  goto rest
}
