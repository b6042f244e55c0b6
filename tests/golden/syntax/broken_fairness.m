-- expect: errors
var x : boolean;
strong fair "n" x; --~ error: strong fairness of states has the form `P -> Q`
strong x; --~ error: expected `fair`, found `strong`
unhelpful x; --~ error: expected `rule` or `ruleset`, found `x`
fair startstate begin end; --~ error: expected `rule`, `ruleset` or an expression, found `startstate`
invariant x LEADSTO x; --~ error: `LEADSTO` belongs to `liveness`, not to this property
