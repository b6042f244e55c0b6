-- A union's value stored where only one member fits is an error.
-- rumur: no, it does not check unions
-- reason: value Home is not in node
-- states: 1
-- fired: 0
-- verdict: violated
-- verdict: fault "member" violated

type node : scalarset(2); home : enum { Home }; any : union { node, home };
var at: any; n: node;
startstate begin at := Home; undefine n; end;
rule "store" begin n := at; end;
