//! The words and signs of the language, and how messages speak of them.
//!
//! Only words that both CMurphi and Rumur reserve are tokens of their own; whatever only one of them
//! reserves (`choose`, `union`, `cover`, …) and the words of the extensions (`fair`, `process`, …) stay
//! identifiers here and are recognised by the parser from where they stand.

use super::span::Span;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    pub tok: Tok,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tok {
    Ident,
    Int,
    Real,
    Str,
    /// `end` or any `endX`.
    End,
    Eof,
    Alias,
    Array,
    Assert,
    Begin,
    Boolean,
    By,
    Case,
    Clear,
    Const,
    Do,
    Else,
    Elsif,
    Enum,
    Error,
    Exists,
    False,
    For,
    Forall,
    Function,
    If,
    Invariant,
    IsUndefined,
    Liveness,
    Of,
    Procedure,
    Put,
    Record,
    Return,
    Rule,
    Ruleset,
    Scalarset,
    StartState,
    Switch,
    Then,
    To,
    True,
    Type,
    Undefine,
    Var,
    While,
    Semi,
    Comma,
    Colon,
    Assign,
    Dot,
    DotDot,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Question,
    LongArrow,
    Arrow,
    PipePipe,
    AmpAmp,
    Pipe,
    Caret,
    Amp,
    Bang,
    Tilde,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    Equal,
    NotEqual,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
}

/// Every reserved word, in lower case, and its token.
pub const WORDS: &[(&str, Tok)] = &[
    ("alias", Tok::Alias),
    ("array", Tok::Array),
    ("assert", Tok::Assert),
    ("begin", Tok::Begin),
    ("boolean", Tok::Boolean),
    ("by", Tok::By),
    ("case", Tok::Case),
    ("clear", Tok::Clear),
    ("const", Tok::Const),
    ("do", Tok::Do),
    ("else", Tok::Else),
    ("elsif", Tok::Elsif),
    ("end", Tok::End),
    ("endalias", Tok::End),
    ("endexists", Tok::End),
    ("endfor", Tok::End),
    ("endforall", Tok::End),
    ("endfunction", Tok::End),
    ("endif", Tok::End),
    ("endprocedure", Tok::End),
    ("endrecord", Tok::End),
    ("endrule", Tok::End),
    ("endruleset", Tok::End),
    ("endstartstate", Tok::End),
    ("endswitch", Tok::End),
    ("endwhile", Tok::End),
    ("enum", Tok::Enum),
    ("error", Tok::Error),
    ("exists", Tok::Exists),
    ("false", Tok::False),
    ("for", Tok::For),
    ("forall", Tok::Forall),
    ("function", Tok::Function),
    ("if", Tok::If),
    ("invariant", Tok::Invariant),
    ("isundefined", Tok::IsUndefined),
    ("liveness", Tok::Liveness),
    ("of", Tok::Of),
    ("procedure", Tok::Procedure),
    ("put", Tok::Put),
    ("record", Tok::Record),
    ("return", Tok::Return),
    ("rule", Tok::Rule),
    ("ruleset", Tok::Ruleset),
    ("scalarset", Tok::Scalarset),
    ("startstate", Tok::StartState),
    ("switch", Tok::Switch),
    ("then", Tok::Then),
    ("to", Tok::To),
    ("true", Tok::True),
    ("type", Tok::Type),
    ("undefine", Tok::Undefine),
    ("var", Tok::Var),
    ("while", Tok::While),
];

/// Every sign, longest first, so that the first that fits is the one meant.
pub const SIGNS: &[(&str, Tok)] = &[
    ("==>", Tok::LongArrow),
    (":=", Tok::Assign),
    ("..", Tok::DotDot),
    (">=", Tok::GreaterEq),
    (">>", Tok::ShiftRight),
    ("->", Tok::Arrow),
    ("<=", Tok::LessEq),
    ("<<", Tok::ShiftLeft),
    ("!=", Tok::NotEqual),
    ("==", Tok::Equal),
    ("&&", Tok::AmpAmp),
    ("||", Tok::PipePipe),
    (";", Tok::Semi),
    (",", Tok::Comma),
    (":", Tok::Colon),
    (".", Tok::Dot),
    ("(", Tok::LParen),
    (")", Tok::RParen),
    ("[", Tok::LBracket),
    ("]", Tok::RBracket),
    ("{", Tok::LBrace),
    ("}", Tok::RBrace),
    ("?", Tok::Question),
    ("|", Tok::Pipe),
    ("^", Tok::Caret),
    ("&", Tok::Amp),
    ("!", Tok::Bang),
    ("~", Tok::Tilde),
    ("<", Tok::Less),
    (">", Tok::Greater),
    ("=", Tok::Equal),
    ("+", Tok::Plus),
    ("-", Tok::Minus),
    ("*", Tok::Star),
    ("/", Tok::Slash),
    ("%", Tok::Percent),
];

/// The single characters that stand for a sign or a word.
pub const CHARACTERS: &[(char, Tok)] = &[
    ('≔', Tok::Assign),
    ('≥', Tok::GreaterEq),
    ('→', Tok::Arrow),
    ('≤', Tok::LessEq),
    ('≠', Tok::NotEqual),
    ('⇒', Tok::LongArrow),
    ('¬', Tok::Bang),
    ('∧', Tok::AmpAmp),
    ('∨', Tok::PipePipe),
    ('÷', Tok::Slash),
    ('∕', Tok::Slash),
    ('−', Tok::Minus),
    ('×', Tok::Star),
    ('…', Tok::DotDot),
    ('∀', Tok::Forall),
    ('∃', Tok::Exists),
];

impl Tok {
    /// The token of a reserved word in any case.
    pub fn of_word(word: &str) -> Option<Tok> {
        let mut lower = [0; 16];
        let lower = lower.get_mut(..word.len())?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        let found = WORDS.binary_search_by(|(known, _)| known.as_bytes().cmp(lower)).ok()?;
        Some(WORDS[found].1)
    }

    /// How a message names this kind of token.
    pub fn describe(self) -> String {
        match self {
            Tok::Ident => "a name".to_string(),
            Tok::Int | Tok::Real => "a number".to_string(),
            Tok::Str => "a quoted text".to_string(),
            Tok::Eof => "the end of the text".to_string(),
            _ => format!("`{}`", self.spelling()),
        }
    }

    fn spelling(self) -> &'static str {
        let all = WORDS.iter().chain(SIGNS);
        all.filter(|(_, tok)| *tok == self)
            .map(|(text, _)| *text)
            .min_by_key(|text| text.len())
            .unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_found_in_any_case() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(Tok::of_word("RuleSet"), Some(Tok::Ruleset));
        assert_eq!(Tok::of_word("EndIf"), Some(Tok::End));
        assert_eq!(Tok::of_word("endings"), None);
        assert_eq!(Tok::of_word("averyveryverylongidentifier"), None);
    }

    #[test]
    fn signs_are_longest_first_and_described_by_the_shortest() {
        assert!(SIGNS.windows(2).all(|pair| pair[0].0.len() >= pair[1].0.len()));
        assert_eq!(Tok::End.describe(), "`end`");
        assert_eq!(Tok::Equal.describe(), "`=`");
    }
}
