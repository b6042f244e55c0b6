//! The syntax tree of a whole model, as written: nothing is resolved, typed or folded here.
//!
//! Every part carries the span of its text. Trees compare equal when they read the same (see `Span`).
//!
//! Depth: the parser refuses text nested deeper than `NESTING_MAX`, and everything that may be long
//! is a list, not a spine: a run of operators that associate to the left is one `Chain`, the selectors
//! of a designator are one `Vec`, `elsif` branches are one `Vec`. So plain recursion over a parsed tree
//! (walking, cloning, comparing, dropping) goes no deeper than a small multiple of `NESTING_MAX`, while
//! conjunctions, sums and lists may have any number of terms.
//!
//! What this leaves out: whether names exist, types fit, or a construct is supported at all (`real`
//! parses, so that the next pass can refuse it in words).

use super::span::Span;

/// How deep expressions, types, statements and rules may nest in each other, all together.
pub const NESTING_MAX: usize = 256;

/// A whole model: its items in the order of the text, and every comment.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub items: Vec<Item>,
    pub comments: Vec<Comment>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Decl(Decl),
    Subprogram(Subprogram),
    Rule(Rule),
}

/// `-- to the end of the line` or `/* between */`; the text is under the span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comment {
    pub span: Span,
    pub block: bool,
}

/// An identifier; case matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub span: Span,
    pub text: String,
}

/// A quoted text: what stands between the quotes, escapes untouched.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub span: Span,
    pub raw: String,
}

/// `a, b : …` in a const, type or var section; the section's word is not part of it.
/// The list of names may be empty, which declares nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    pub span: Span,
    pub names: Vec<Name>,
    pub kind: DeclKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DeclKind {
    Const(Expr),
    Type(TypeExpr),
    Var(TypeExpr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    pub span: Span,
    pub kind: TypeKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    Boolean,
    Named(Name),
    /// `from .. to`, both constant expressions.
    Range(Box<Expr>, Box<Expr>),
    Enum(Vec<Name>),
    Record(Vec<Field>),
    Array {
        index: Box<TypeExpr>,
        element: Box<TypeExpr>,
    },
    Scalarset(Box<Expr>),
    Union(Vec<TypeExpr>),
    Multiset {
        size: Box<Expr>,
        element: Box<TypeExpr>,
    },
    /// CMurphi's `real(mantissa, exponent)`: parsed so that it can be refused in words.
    Real {
        mantissa: Box<Expr>,
        exponent: Box<Expr>,
    },
}

/// `a, b : T` in a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub span: Span,
    pub names: Vec<Name>,
    pub ty: TypeExpr,
}

/// A function (`returns` is some) or a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Subprogram {
    pub span: Span,
    pub name: Name,
    pub params: Vec<Param>,
    pub returns: Option<TypeExpr>,
    pub decls: Vec<Decl>,
    pub body: Vec<Stmt>,
}

/// `var a, b : T` or `a, b : T` between the parentheses of a subprogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub span: Span,
    pub by_var: bool,
    pub names: Vec<Name>,
    pub ty: TypeExpr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub span: Span,
    pub kind: RuleKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RuleKind {
    Simple(SimpleRule),
    StartState(StartState),
    Ruleset(Ruleset),
    /// `alias a : x; … do rules end`
    Alias {
        aliases: Vec<Alias>,
        rules: Vec<Rule>,
    },
    /// `choose i : multiset do rules end`
    Choose {
        index: Name,
        multiset: Designator,
        rules: Vec<Rule>,
    },
    /// `process "Client" i : NODE do rules end`
    Process {
        title: Text,
        quantifiers: Vec<Quantifier>,
        rules: Vec<Rule>,
    },
    Property(Property),
    Fairness(StateFairness),
}

/// What is promised about a rule, or a whole ruleset as one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Promise {
    pub fairness: Fairness,
    /// Not among the helpful rules of `CANGETTO`.
    pub unhelpful: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Fairness {
    #[default]
    None,
    Weak,
    Strong,
}

/// `rule 10 "name" guard ==> var …; begin … end`
#[derive(Clone, Debug, PartialEq)]
pub struct SimpleRule {
    pub promise: Promise,
    /// CMurphi's `rule unfair`: the word is kept and means what no word means.
    pub unfair: bool,
    /// CMurphi's number; the least one that is enabled fires, and no number is 0.
    pub priority: Option<i64>,
    pub name: Option<Text>,
    pub guard: Option<Expr>,
    pub decls: Vec<Decl>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StartState {
    pub name: Option<Text>,
    pub decls: Vec<Decl>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ruleset {
    pub promise: Promise,
    pub quantifiers: Vec<Quantifier>,
    pub rules: Vec<Rule>,
}

/// A property, at the level of rules or as a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub span: Span,
    pub word: PropertyWord,
    /// The name or message, from either side of the expression.
    pub name: Option<Text>,
    pub claim: Claim,
}

/// The word written; `invariant` and `assert` mean the same where they stand in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyWord {
    Invariant,
    Assert,
    Assume,
    Cover,
    Liveness,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// `Q`, the only form for words other than `liveness`, where it means AG EF Q.
    Holds(Expr),
    /// `P CANGETTO Q`, only with `liveness`.
    CanGetTo(Expr, Expr),
    /// `P LEADSTO Q`, only with `liveness`.
    LeadsTo(Expr, Expr),
}

/// Fairness of states: `fair "n" P;` (P infinitely often), `strong fair "n" P -> Q;`
/// (if P infinitely often, then Q infinitely often).
#[derive(Clone, Debug, PartialEq)]
pub struct StateFairness {
    pub span: Span,
    /// CMurphi's word `fairness` was written for `fair`.
    pub cmurphi_word: bool,
    pub name: Option<Text>,
    pub kind: StateFairnessKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StateFairnessKind {
    Weak(Expr),
    Strong { premise: Expr, conclusion: Expr },
}

/// `a, b : e` of an alias; several names all stand for the same expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    pub span: Span,
    pub names: Vec<Name>,
    pub value: Expr,
}

/// `i : T` or `i := a to b by c`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantifier {
    pub span: Span,
    pub name: Name,
    pub domain: Domain,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    Type(TypeExpr),
    Range { from: Box<Expr>, to: Box<Expr>, by: Option<Box<Expr>> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub span: Span,
    pub kind: StmtKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Assign { target: Designator, value: Expr },
    If { branches: Vec<Branch>, otherwise: Option<Vec<Stmt>> },
    Switch { subject: Expr, cases: Vec<Case>, otherwise: Option<Vec<Stmt>> },
    For { quantifiers: Vec<Quantifier>, body: Vec<Stmt> },
    While { condition: Expr, body: Vec<Stmt> },
    Alias { aliases: Vec<Alias>, body: Vec<Stmt> },
    Call { name: Name, args: Vec<Expr> },
    Clear(Designator),
    Undefine(Designator),
    PutText(Text),
    PutExpr(Expr),
    Error(Text),
    Return(Option<Expr>),
    Property(Property),
    MultisetAdd { element: Expr, multiset: Designator },
    MultisetRemove { index: Expr, multiset: Designator },
    MultisetRemovePred { index: Name, multiset: Designator, predicate: Expr },
}

/// `if c then body` or `elsif c then body`.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub span: Span,
    pub condition: Expr,
    pub body: Vec<Stmt>,
}

/// `case a, b : body`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub span: Span,
    pub values: Vec<Expr>,
    pub body: Vec<Stmt>,
}

/// `a[i].f…`: what can be assigned, aliased, passed by `var`.
#[derive(Clone, Debug, PartialEq)]
pub struct Designator {
    pub span: Span,
    pub base: Name,
    pub selectors: Vec<Selector>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    Index(Expr),
    Field(Name),
}

/// The span includes the parentheses around it, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub span: Span,
    pub kind: ExprKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Int {
        value: i64,
        hex: bool,
    },
    /// A literal such as `1.5`, kept as written so that it can be refused in words.
    Real(String),
    /// `true` and `false` in any case.
    Bool(bool),
    /// The word `undefined` in any case, alone. Where a declaration of exactly this name is in scope, it
    /// means that; otherwise the value that is none.
    Undefined(Name),
    /// A name or what it selects: variable, constant, enum member, alias, parameter, bound name.
    Designator(Designator),
    Call {
        name: Name,
        args: Vec<Expr>,
    },
    Unary {
        op: UnOp,
        operand: Box<Expr>,
    },
    /// Operators that do not associate: comparisons and `->`.
    Binary {
        op: BinOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `first op operand op operand …`, read from the left; all operators are of one level, `rest` is not
    /// empty, and `first` is not itself a chain of that level (such parentheses are dropped).
    Chain {
        first: Box<Expr>,
        rest: Vec<Link>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Quantified {
        all: bool,
        quantifiers: Vec<Quantifier>,
        body: Box<Expr>,
    },
    IsUndefined(Designator),
    IsMember {
        value: Box<Expr>,
        ty: Box<TypeExpr>,
    },
    MultisetCount {
        index: Name,
        multiset: Designator,
        predicate: Box<Expr>,
    },
}

/// One more operand of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub op: BinOp,
    pub op_span: Span,
    pub operand: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    Not,
    BitNot,
    Minus,
    Plus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    Implies,
    /// `||` and `∨`: logical only.
    OrOr,
    /// `&&` and `∧`: logical only.
    AndAnd,
    /// `|`: logical on booleans, bit by bit on numbers.
    Pipe,
    /// `^`: exclusive or, bit by bit.
    Caret,
    /// `&`: logical on booleans, bit by bit on numbers.
    Amp,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Equal,
    NotEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// How tightly operators bind, loosest first: Rumur's table, of which CMurphi's is a part.
/// Comparisons and `->` do not chain, `?:` nests to the right, all other operators associate to the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Conditional,
    Implies,
    OrOr,
    AndAnd,
    Pipe,
    Caret,
    Amp,
    Not,
    Comparison,
    Shift,
    Sum,
    Product,
    Sign,
    Atom,
}

impl Level {
    /// The level of the right operand of an operator of this level.
    pub fn tighter(self) -> Level {
        match self {
            Level::Conditional => Level::Implies,
            Level::Implies => Level::OrOr,
            Level::OrOr => Level::AndAnd,
            Level::AndAnd => Level::Pipe,
            Level::Pipe => Level::Caret,
            Level::Caret => Level::Amp,
            Level::Amp => Level::Not,
            Level::Not => Level::Comparison,
            Level::Comparison => Level::Shift,
            Level::Shift => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Sign,
            Level::Sign | Level::Atom => Level::Atom,
        }
    }
}

impl BinOp {
    pub fn level(self) -> Level {
        match self {
            BinOp::Implies => Level::Implies,
            BinOp::OrOr => Level::OrOr,
            BinOp::AndAnd => Level::AndAnd,
            BinOp::Pipe => Level::Pipe,
            BinOp::Caret => Level::Caret,
            BinOp::Amp => Level::Amp,
            BinOp::Less | BinOp::LessEq | BinOp::Greater | BinOp::GreaterEq => Level::Comparison,
            BinOp::Equal | BinOp::NotEqual => Level::Comparison,
            BinOp::ShiftLeft | BinOp::ShiftRight => Level::Shift,
            BinOp::Add | BinOp::Sub => Level::Sum,
            BinOp::Mul | BinOp::Div | BinOp::Mod => Level::Product,
        }
    }

    /// Whether a run of this operator is a `Chain` rather than an error.
    pub fn chains(self) -> bool {
        !matches!(self.level(), Level::Implies | Level::Comparison)
    }

    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Implies => "->",
            BinOp::OrOr => "||",
            BinOp::AndAnd => "&&",
            BinOp::Pipe => "|",
            BinOp::Caret => "^",
            BinOp::Amp => "&",
            BinOp::Less => "<",
            BinOp::LessEq => "<=",
            BinOp::Greater => ">",
            BinOp::GreaterEq => ">=",
            BinOp::Equal => "=",
            BinOp::NotEqual => "!=",
            BinOp::ShiftLeft => "<<",
            BinOp::ShiftRight => ">>",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Mod => "%",
        }
    }
}

impl UnOp {
    /// The level of the operand: `!` takes a whole comparison, the others only a factor.
    pub fn level(self) -> Level {
        match self {
            UnOp::Not => Level::Not,
            UnOp::BitNot | UnOp::Minus | UnOp::Plus => Level::Sign,
        }
    }

    pub fn symbol(self) -> &'static str {
        match self {
            UnOp::Not => "!",
            UnOp::BitNot => "~",
            UnOp::Minus => "-",
            UnOp::Plus => "+",
        }
    }
}
