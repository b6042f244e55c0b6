//! The values that were given to options, wherever they were written: checked when set, read back by name.

use std::collections::BTreeMap;
use std::time::Duration;

use super::options::{Command, Form, Spec, find};
use crate::base::size;
use crate::exchange;
use crate::host::clock;

/// Values that were given, by option; what was not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    given: BTreeMap<&'static str, Vec<String>>,
}

impl Values {
    /// Sets an option of the table to a checked value; a `List` gets one more.
    pub fn set(&mut self, spec: &'static Spec, text: &str) -> Result<(), String> {
        if let Some(why) = spec.refuse(text) {
            return Err(why);
        }
        let values = self.given.entry(spec.name).or_default();
        if !matches!(spec.form, Form::List | Form::Several(_)) {
            values.clear();
        }
        values.push(text.to_string());
        Ok(())
    }

    /// These values, and those of `under` where these say nothing.
    pub fn over(mut self, under: Values) -> Values {
        for (name, values) in under.given {
            self.given.entry(name).or_insert(values);
        }
        self
    }

    /// All that was given, to ship to other ranks.
    pub fn pairs(&self) -> Vec<(String, Vec<String>)> {
        self.given.iter().map(|(name, values)| (name.to_string(), values.clone())).collect()
    }

    /// What `pairs` shipped. Options that `command` does not have are left out.
    pub fn from_pairs(pairs: Vec<(String, Vec<String>)>, command: Command) -> Values {
        let mut values = Values::default();
        for (name, texts) in pairs {
            let Some(spec) = find(&name, Some(command)) else { continue };
            values.given.insert(spec.name, texts);
        }
        values
    }

    pub fn list(&self, name: &str) -> &[String] {
        self.given.get(name).map_or(&[], Vec::as_slice)
    }

    /// The words given for an option that takes several.
    pub fn several(&self, name: &str) -> impl Iterator<Item = &str> {
        self.list(name).iter().flat_map(|text| text.split(','))
    }

    /// The value given, or the default; `None` when there is neither.
    pub fn text(&self, name: &str) -> Option<&str> {
        let spec = find(name, None).unwrap_or_else(|| panic!("{name} is not an option"));
        let given = self.given.get(name).and_then(|values| values.last()).map(String::as_str);
        given.or(Some(spec.default).filter(|default| !default.is_empty()))
    }

    pub fn switch(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(parse_number)
    }

    /// The credits for each peer among so many ranks.
    pub fn credits(&self, ranks: u32) -> u32 {
        self.number("credits")
            .map_or_else(|| exchange::Settings::credits_among(ranks), |credits| credits as u32)
    }

    pub fn size(&self, name: &str) -> Option<u64> {
        self.text(name).and_then(|text| size::parse(text).ok())
    }

    pub fn time(&self, name: &str) -> Option<Duration> {
        self.text(name).and_then(|text| clock::parse_duration(text).ok())
    }

    /// The choice made for an option that has a default.
    pub fn choice(&self, name: &str) -> &str {
        self.text(name).unwrap_or_else(|| panic!("{name} has no default"))
    }

    /// The choice made for an option whose default may be the command's own.
    pub fn choice_of(&self, name: &str, command: Command) -> &str {
        let spec = find(name, Some(command)).unwrap_or_else(|| panic!("{name} is not an option"));
        self.list(name).last().map_or(spec.default_of(command), String::as_str)
    }
}

/// Whole numbers, with `_` or `,` between digits, and `k`, `M`, `G` for powers of ten.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    let plain = text.replace(['_', ','], "");
    let (digits, scale) = match plain.strip_suffix(['k', 'M', 'G']) {
        Some(digits) => (
            digits,
            match plain.as_bytes()[plain.len() - 1] {
                b'k' => 1_000,
                b'M' => 1_000_000,
                _ => 1_000_000_000,
            },
        ),
        None => (plain.as_str(), 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Command::{Check, Prove};

    #[test]
    fn given_values_win_over_those_below_and_both_over_defaults() {
        let batch = find("batch", Some(Check)).unwrap();
        let (mut flags, mut job) = (Values::default(), Values::default());
        job.set(batch, "7").unwrap();
        assert_eq!(flags.clone().over(job.clone()).number("batch"), Some(7));
        flags.set(batch, "2k").unwrap();
        assert_eq!(flags.clone().over(job).number("batch"), Some(2000));
        assert_eq!(Values::default().number("batch"), Some(2000));
        assert!(flags.set(batch, "0").unwrap_err().contains("least is 1"));
        assert!(flags.set(batch, "lots").unwrap_err().contains("not a whole number"));
        assert_eq!(find("stage", Some(Check)).map(|s| s.name), None);
    }

    #[test]
    fn proofs_compute_all_components_unless_asked() {
        let mut values = Values::default();
        assert_eq!((values.choice("symmetry"), values.choice_of("symmetry", Prove)), ("exact", "off"));
        assert_eq!(values.choice_of("symmetry", Check), "exact");
        values.set(find("symmetry", Some(Prove)).unwrap(), "exact").unwrap();
        assert_eq!(values.choice_of("symmetry", Prove), "exact");
    }
}
