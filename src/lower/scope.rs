//! Names and what they mean, in nested scopes.
//!
//! A name may be declared once in a scope and may hide what an outer scope declares. A name whose
//! declaration was in error is known as `Broken`, so that its uses are not reported again.

use std::collections::HashMap;

use crate::ir::{Base, FuncId, TypeId};

#[derive(Clone, Debug)]
pub enum Symbol {
    Const { ty: TypeId, value: i64 },
    Type(TypeId),
    Func(FuncId),
    Place(Named),
    Broken,
}

/// A variable, parameter, bound name or alias.
#[derive(Clone, Debug)]
pub struct Named {
    pub base: Base,
    pub offset: u32,
    pub ty: TypeId,
    /// Why it may not be stored to, where it may not.
    pub read_only: Option<&'static str>,
}

#[derive(Debug)]
pub struct Scopes {
    stack: Vec<HashMap<String, Symbol>>,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes { stack: vec![HashMap::new()] }
    }
}

impl Scopes {
    pub fn open(&mut self) {
        self.stack.push(HashMap::new());
    }

    pub fn close(&mut self) {
        self.stack.pop();
    }

    /// Declares a name in the innermost scope; false where that scope has it already.
    pub fn declare(&mut self, name: &str, symbol: Symbol) -> bool {
        let Some(scope) = self.stack.last_mut() else { return false };
        if scope.contains_key(name) {
            return false;
        }
        scope.insert(name.to_string(), symbol);
        true
    }

    /// Declares a name in the scope around the innermost one.
    pub fn declare_outer(&mut self, name: &str, symbol: Symbol) -> bool {
        let outer = self.stack.len().saturating_sub(2);
        let Some(scope) = self.stack.get_mut(outer) else { return false };
        if scope.contains_key(name) {
            return false;
        }
        scope.insert(name.to_string(), symbol);
        true
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.stack.iter().rev().find_map(|scope| scope.get(name))
    }

    /// All names in scope that satisfy a condition, in order, for suggestions.
    pub fn names(&self, wanted: impl Fn(&Symbol) -> bool) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for scope in &self.stack {
            names.extend(scope.iter().filter(|(_, symbol)| wanted(symbol)).map(|(name, _)| name.as_str()));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    pub fn is_global(&self) -> bool {
        self.stack.len() == 1
    }
}
