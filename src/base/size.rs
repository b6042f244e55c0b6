//! Byte sizes as people write them: `512M`, `4GiB`, `1.5 GB`.
//!
//! All suffixes are binary (K = 1,024), with or without `B` or `iB`, in any case.

/// Reads a size; the error says what is wrong with it.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let value: f64 = number
        .replace('_', "")
        .parse()
        .map_err(|_| format!("'{text}' is not a size; write for example 512M or 4GiB"))?;
    let scale = match suffix.trim().to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 1u64,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return Err(format!("'{}' in '{text}' is not a unit; use K, M, G or T", suffix.trim())),
    };
    let bytes = value * scale as f64;
    if bytes > (1u64 << 60) as f64 {
        return Err(format!("'{text}' is more than any machine has"));
    }
    Ok(bytes as u64)
}

/// Writes a size with three significant digits and a binary unit.
pub fn format(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    // 999.5 and not 1024, so that a number of four digits never appears.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ if value < 9.995 => format!("{value:.2} {}", UNITS[unit]),
        _ if value < 99.95 => format!("{value:.1} {}", UNITS[unit]),
        _ => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// Writes a count with thousands separated: `1,105,434`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse("512M"), Ok(512 << 20));
        assert_eq!(parse("4GiB"), Ok(4 << 30));
        assert_eq!(parse("1.5 kb"), Ok(1536));
        assert_eq!(parse("64b"), Ok(64));
        assert!(parse("many").is_err());
        assert!(parse("3 elephants").unwrap_err().contains("elephants"));
        assert!(parse("99999999T").is_err());
        assert!(parse("").is_err());
    }

    #[test]
    fn sizes_are_written() {
        assert_eq!(format(17), "17 B");
        assert_eq!(format(1536), "1.50 KiB");
        assert_eq!(format(1023 << 10), "1.00 MiB");
        assert_eq!(format(24 << 30), "24.0 GiB");
        assert_eq!(count(1105434), "1,105,434");
        assert_eq!(count(12), "12");
    }
}
