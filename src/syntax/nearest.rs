//! The nearest known name to one that is not known: for "did you mean".
//!
//! In: a name and the names that would have been right. Out: the one with the least edit distance (insert,
//! delete, replace, swap neighbours; a change of case counts nothing), if it is near enough to be a slip:
//! at most a third of the name. Cost: the product of the lengths for each candidate; longer names than
//! `LENGTH_MAX` are not compared.

const LENGTH_MAX: usize = 64;

/// The best candidate, the first of equals.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().flat_map(char::to_lowercase).take(LENGTH_MAX + 1).collect();
    if name.len() > LENGTH_MAX || name.len() < 2 {
        return None;
    }
    let allowed = (name.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > 4 * LENGTH_MAX {
            continue;
        }
        let letters: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
        if letters.len().abs_diff(name.len()) > allowed {
            continue;
        }
        let distance = distance(&name, &letters);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with swaps of neighbours, three rows at a time.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        assert_eq!(nearest("ruel", ["ruleset", "rule"]), Some("rule"));
        assert_eq!(nearest("Count", ["count", "mount"]), Some("count"));
        assert_eq!(nearest("invarient", ["invariant"]), Some("invariant"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("apple", ["orange"]), None);
    }
}
