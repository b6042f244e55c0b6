//! Memory that was used and is not needed now, given back to the system: above all what a start needs and a search does not.
//!
//! Reading a model and making machine code run much of the program once, and leave heaps full of holes. The pages of the
//! program and its libraries are in the system's cache of files; what is used again comes back from there, a few
//! pages at a time. Pages that are not as they are in the file (relocated, or patched by somebody) are left alone: of
//! a mapping with such a page, none is given back.

use std::fs;
use std::ops::Range;

/// Gives back the heaps' free pages and what is mapped of the program's files. Cost: a fraction of a millisecond, and a few
/// dozen page faults later. Where the system cannot, nothing happens.
pub fn give_back() {
    give_back_heaps();
    #[cfg(target_os = "linux")]
    for place in unchanged(&fs::read_to_string("/proc/self/smaps").unwrap_or_default()) {
        // SAFETY: nobody can write there and every page is as it is in the file, from which it is read again when it
        // is next used.
        unsafe {
            libc::madvise(place.start as *mut libc::c_void, place.len(), libc::MADV_DONTNEED);
        }
    }
}

/// Gives back the heaps' free pages. Cost: tens of microseconds.
pub fn give_back_heaps() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the C library's own, for any thread at any time; it frees no memory that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The mappings of files, read or run but never written, whose pages are all as in the file.
fn unchanged(smaps: &str) -> Vec<Range<usize>> {
    let (mut found, mut here) = (Vec::new(), None);
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if !first.ends_with(':') {
            here = of_file(first, &mut words);
        } else if first == "Anonymous:"
            && words.next() == Some("0")
            && let Some(place) = here.take()
        {
            found.push(place);
        }
    }
    found
}

/// The addresses of a mapping, where it is of a file and private, and nobody may write to it.
fn of_file<'l>(addresses: &str, rest: &mut impl Iterator<Item = &'l str>) -> Option<Range<usize>> {
    let (permissions, path) = (rest.next()?, rest.nth(3)?);
    let (begin, end) = addresses.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let wanted = matches!(permissions, "r--p" | "r-xp") && path.starts_with('/');
    wanted.then_some(address(begin)?..address(end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unchanged_pages_of_files_are_given_back() {
        let mapping = |head: &str, anonymous: u32| {
            format!("{head}\nSize: 8 kB\nRss: 8 kB\nAnonymous: {anonymous} kB\nVmFlags: rd mr\n")
        };
        let smaps = [
            mapping("1000-3000 r-xp 00000000 fe:00 12 /usr/bin/program", 0),
            mapping("3000-5000 r--p 00002000 fe:00 12 /usr/bin/program", 4),
            mapping("5000-7000 rw-p 00004000 fe:00 12 /usr/bin/program", 0),
            mapping("7000-9000 r--s 00000000 fe:00 13 /tmp/shared", 0),
            mapping("9000-b000 r--p 00000000 00:00 0", 0),
            mapping("b000-d000 r-xp 00000000 00:00 0 [vdso]", 0),
            mapping("d000-f000 r--p 00000000 fe:00 14 /usr/lib/a library.so", 0),
        ];
        assert_eq!(unchanged(&smaps.concat()), [0x1000..0x3000, 0xd000..0xf000]);
        assert_eq!(unchanged("nothing of the kind"), []);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_program_runs_on_and_is_smaller() {
        let of_files = || {
            let status = fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssFile:")).unwrap().to_string();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let text: Vec<String> = (0..1_000).map(|n| n.to_string()).collect();
        // Other tests run beside this one and use the program, too.
        let smaller = (0..20).any(|_| {
            let before = of_files();
            give_back();
            of_files() < before
        });
        assert!(smaller, "{} KiB of files are still resident", of_files());
        assert_eq!(text[999], "999");
    }
}
