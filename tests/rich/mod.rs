//! Random small models of the whole language: enums, subranges, scalarsets, unions, records, arrays, multisets, nested
//! rulesets, chosen elements, `switch`, `while`, `for`, functions, procedures, `alias`, `undefine`, `clear`, priorities.
//!
//! In: a seed. Out: a text that lowers. Texts are typed but careless: undefined values, values and indices outside
//! their types and full multisets are common. Domains are tiny, so that brute force sees all states of most models.

use std::fmt::Write;
use verify::base::prng::Prng;

const HEAD: &str = "type N : 0..2; B : 0..1; S : scalarset(2); E : enum { p, q, r }; U : union { S, E };
  R : record n : N; e : E; end;
var x : N; z : -1..1; f : boolean; k : E; s : S; a : array [B] of N; b : array [S] of R; c : R; u : U;
function pick(v : N; t : boolean) : N; begin if t then return a[v]; end; return v; end;
procedure put1(var t : N; v : N); begin if f then t := v; return; end; t := 2 - v; end;
procedure both(var t : R; e : E); var o : R; begin o := t; o.e := e; t := o; f := !f; end;
";
const SETS: &str = "var m : multiset [2] of E; w : array [B] of multiset [2] of R;
function many(e : E) : N; begin return multisetcount(o : m, m[o] = e); end;
";

struct Writer {
    prng: Prng,
    sets: bool,
    /// An element of `m` is chosen as `o` here.
    chosen: bool,
}

/// The text of the model with this seed; every second has multisets.
pub fn random_model(seed: u64) -> String {
    let mut writer = Writer { prng: Prng::new(seed), sets: seed % 2 == 1, chosen: false };
    let mut text = HEAD.to_string();
    if writer.sets {
        text += SETS;
    }
    text += &writer.start();
    for number in 0..4 + writer.prng.index(4) {
        let _ = writeln!(text, "{}", writer.rule(number));
    }
    writer.chosen = false;
    let claim = writer.truth(2);
    let _ = writeln!(text, "invariant \"claim\" forall i : B do forall j : S do {claim} end end;");
    text
}

impl Writer {
    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.prng.index(words.len())]
    }

    fn start(&mut self) -> String {
        let mut body = String::from("f := false; x := 0; z := 0; k := p; clear a; ");
        body += self.of(&["clear c; ", "clear c; ", "c.n := 1; ", "c.e := q; c.n := 0; "]);
        body += self.of(&["clear b; ", "clear b; ", "", "for j : S do b[j].e := r; end; "]);
        if self.sets && self.prng.chance(50) {
            body += self.of(&["multisetadd(p, m); ", "multisetadd(q, m); multisetadd(p, m); "]);
        }
        match self.prng.index(3) {
            0 => format!("startstate {body} end;\n"),
            1 => format!("ruleset j : S do startstate {body} s := j; end; end;\n"),
            _ => format!("ruleset i : B; j : S do startstate {body} s := j; x := i; end; end;\n"),
        }
    }

    fn rule(&mut self, number: usize) -> String {
        self.chosen = self.sets && self.prng.chance(30);
        let (guard, body) = (self.truth(1), self.block(2));
        let priority = if self.prng.chance(8) { "1 " } else { "" };
        let rule = format!("rule {priority}\"r{number}\" {guard} ==> var t : N; begin t := 0; {body} end;");
        let rule = match self.chosen {
            true => format!("choose o : m do {rule} end;"),
            false => rule,
        };
        let alias = if self.prng.chance(15) { "alias d : b[j] do " } else { "" };
        let end = if alias.is_empty() { "" } else { " end;" };
        format!("ruleset i : B do ruleset j : S do {alias}{rule}{end} end; end;")
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.prng.chance(50) {
            let leaves = ["0", "1", "2", "x", "x", "z", "i", "c.n", "b[j].n", "b[s].n", "a[i]"];
            return self.of(&leaves).to_string();
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        let t = self.truth(depth - 1);
        match self.prng.index(6) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} % 3)"),
            3 => format!("pick({a}, {t})"),
            4 => format!("({t} ? {a} : {b})"),
            _ if self.sets => {
                self.of(&["many(k)", "many(p)", "multisetcount(o : w[i], w[i][o].e = q)"]).to_string()
            }
            _ => format!("a[{a}]"),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        if depth == 0 || self.prng.chance(40) {
            if self.sets && self.prng.chance(25) {
                let leaves =
                    ["multisetcount(o : m, true) < 2", "multisetcount(o : m, m[o] = k) > 0", "w[0] = w[1]"];
                return self.of(&leaves).to_string();
            }
            if self.chosen && self.prng.chance(30) {
                return self.of(&["m[o] = q", "m[o] != k"]).to_string();
            }
            let leaves = [
                "f",
                "!f",
                "k = q",
                "k != r",
                "s = j",
                "b[j].e = k",
                "isundefined(c.e)",
                "x = i",
                "x < 2",
                "z >= 0",
                "ismember(u, E)",
                "!isundefined(u) & u = j",
                "u = k",
                "c = b[j]",
                "isundefined(b[j].n)",
                "true",
            ];
            return self.of(&leaves).to_string();
        }
        let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
        match self.prng.index(7) {
            0 => format!("(({a}) & ({b}))"),
            1 => format!("(({a}) | ({b}))"),
            2 => format!("(({a}) -> ({b}))"),
            3 => format!("!({a})"),
            4 => format!("(exists j : S do {a} end)"),
            5 => format!("(forall i : B do {a} end)"),
            _ => format!("{} = {}", self.number(depth - 1), self.number(depth - 1)),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        (0..1 + self.prng.index(2)).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth > 0 && self.prng.chance(40) {
            let (a, b) = (self.block(depth - 1), self.block(depth - 1));
            let t = self.truth(1);
            return match self.prng.index(7) {
                0 | 1 => format!("if {t} then {a} else {b} end;"),
                2 => format!("switch k case p: {a} case q, r: {b} end;"),
                3 => format!("switch x case 0: {a} else {b} end;"),
                4 => format!("for j : S do {a} end;"),
                5 => format!("for i := 0 to z do {a} end;"),
                _ => format!("while t < 2 & ({t}) do t := t + 1; {a} end;"),
            };
        }
        if self.sets && self.prng.chance(35) {
            let acts = [
                "multisetadd(k, m);",
                "multisetadd(p, m);",
                "multisetadd(b[j], w[i]);",
                "multisetadd(c, w[i]);",
                "multisetremovepred(o : m, m[o] = k);",
                "multisetremovepred(o : w[i], true);",
                "undefine m;",
                "w[0] := w[1];",
            ];
            if self.chosen {
                return self.of(&["multisetremove(o, m);", "k := m[o];", "m[o] := r;"]).to_string();
            }
            return self.of(&acts).to_string();
        }
        let number = self.number(1);
        match self.prng.index(12) {
            0 | 1 => format!("x := {number};"),
            2 => format!("z := {number};"),
            3 => format!("a[{number}] := i;"),
            4 => format!("b[j].n := {number};"),
            5 => format!("put1({}, {number});", self.of(&["x", "c.n", "a[i]", "b[j].n"])),
            6 => format!("both({}, k);", self.of(&["c", "b[j]", "b[s]"])),
            7 => format!("f := {};", self.truth(1)),
            8 => self.of(&["k := q;", "k := r;", "k := p;", "k := b[j].e;"]).to_string(),
            9 => self.of(&["s := j;", "s := j;", "undefine s;", "u := j;", "u := k;", "u := s;"]).to_string(),
            10 => self.of(&["c := b[j];", "b[j] := c;", "clear c;", "b[j].e := k;"]).to_string(),
            _ => self
                .of(&["undefine c;", "undefine b[j].e;", "return;", "assume x < 2;", "x := 2 - x;"])
                .to_string(),
        }
    }
}
