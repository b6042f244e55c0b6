/* The MCS queue lock, step by step as in models/mcslock.m.
 *
 * Each statement outside of d_step, and each d_step, is one rule of the Murphi model. Without partial order
 * reduction both have the same states, and pan's transitions are the rules fired plus one. Of the invariants,
 * mutual exclusion is checked, on entering; `critical` adds no states. A pointer is a process's number plus 1; 0 is nil.
 */
#ifndef N
#define N 4
#endif

byte tail;
byte next[N];
bool flag[N];           /* raised: not my turn yet */
byte critical;

#define ENTER critical++; assert(critical == 1)

active [N] proctype process() {
  byte pred;            /* between the swap and the link */

rest:
  next[_pid] = 0;
  if
  :: d_step { tail == 0 -> tail = _pid + 1; ENTER }
  :: d_step { tail != 0 -> pred = tail; tail = _pid + 1 };
     flag[_pid] = true;
     d_step { next[pred - 1] = _pid + 1; pred = 0 };
     d_step { !flag[_pid] -> ENTER }
  fi;
  critical--;
  if
  :: next[_pid] != 0
  :: next[_pid] == 0;
     if
     :: d_step { tail == _pid + 1 -> tail = 0 }; goto rest
     :: tail != _pid + 1; next[_pid] != 0
     fi
  fi;
  flag[next[_pid] - 1] = false;
  goto rest
}
