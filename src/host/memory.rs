//! How much memory a rank may use, and how much it uses.
//!
//! The limit is the least of: the machine's memory, every cgroup limit from this process's group up to the root
//! (version 2 and version 1), and what Slurm granted on this machine. A batch job that goes over its cgroup is
//! killed without a word, so the budget is taken from these before the run, and `--memory` can lower or raise it.

use std::fs;
use std::path::Path;

/// The part of the limit that ranks plan with; the rest is for MPI, the program itself and the page cache.
const USABLE_PERCENT: u64 = 85;
/// Limits above this mean "none" (version 1 writes a huge number).
const NO_LIMIT: u64 = 1 << 60;

/// The bytes that each rank may plan with, and the limit they were taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub rank_bytes: u64,
    pub machine_bytes: u64,
}

/// The budget of one of `ranks_here` ranks; `asked` is `--memory`, per rank.
pub fn budget(asked: Option<u64>, ranks_here: u32) -> Budget {
    let machine_bytes = limit(Path::new("/"), |name| std::env::var(name).ok());
    let share = machine_bytes / 100 * USABLE_PERCENT / u64::from(ranks_here.max(1));
    Budget { rank_bytes: asked.unwrap_or(share), machine_bytes }
}

/// The least limit that holds for this process; `root` is where `/proc` and `/sys` are.
fn limit(root: &Path, var: impl Fn(&str) -> Option<String>) -> u64 {
    let meminfo = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let total = field_kib(&meminfo, "MemTotal:").map_or(NO_LIMIT, |kib| kib << 10);
    let slurm = var("SLURM_MEM_PER_NODE").and_then(|mib| mib.parse::<u64>().ok());
    // Slurm writes 0 for "all of the machine".
    let slurm = slurm.filter(|&mib| mib > 0).map_or(NO_LIMIT, |mib| mib << 20);
    total.min(slurm).min(cgroup_limit(root))
}

fn cgroup_limit(root: &Path) -> u64 {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mut least = NO_LIMIT;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (base, file) = if controllers.is_empty() {
            (root.join("sys/fs/cgroup"), "memory.max")
        } else if controllers.split(',').any(|c| c == "memory") {
            (root.join("sys/fs/cgroup/memory"), "memory.limit_in_bytes")
        } else {
            continue;
        };
        // A container sees its own group as the root, whatever the path says; so every ancestor is asked.
        let relative = Path::new(path.trim_start_matches('/'));
        for ancestor in relative.ancestors() {
            if let Ok(text) = fs::read_to_string(base.join(ancestor).join(file)) {
                least = least.min(text.trim().parse().unwrap_or(NO_LIMIT));
            }
        }
    }
    least
}

fn field_kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Lets the peak begin anew with what is resident now; where the system does not allow it, it stays.
pub fn restart_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most memory this process had resident since it began or `restart_peak`, in bytes.
pub fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    field_kib(&status, "VmHWM:").map_or(0, |kib| kib << 10)
}

/// The memory this process has resident now, in bytes.
pub fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    field_kib(&status, "VmRSS:").map_or(0, |kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn machine(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("verify-memory-test-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn the_least_of_all_limits_counts() {
        let meminfo = ("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 3 kB\n");
        let none = |_: &str| None;
        let plain = machine("plain", &[meminfo]);
        assert_eq!(limit(&plain, none), 1000 << 10);
        let slurm = |name: &str| (name == "SLURM_MEM_PER_NODE").then(|| "0".to_string());
        assert_eq!(limit(&plain, slurm), 1000 << 10);

        let two = machine(
            "two",
            &[
                meminfo,
                ("proc/self/cgroup", "0::/job/step\n"),
                ("sys/fs/cgroup/job/step/memory.max", "max\n"),
                ("sys/fs/cgroup/job/memory.max", "500000\n"),
            ],
        );
        assert_eq!(limit(&two, none), 500_000);

        let one = machine(
            "one",
            &[
                meminfo,
                ("proc/self/cgroup", "3:cpu:/a\n2:memory,x:/not/seen/in/here\n"),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "700000\n"),
            ],
        );
        assert_eq!(limit(&one, none), 700_000);
        [plain, two, one].iter().for_each(|root| fs::remove_dir_all(root).unwrap());
    }

    #[test]
    fn this_process_has_a_size() {
        restart_peak();
        assert!(resident_bytes() > 0 && peak_bytes() >= resident_bytes() / 2);
        let shared = budget(None, 2);
        assert!(shared.rank_bytes > 0 && shared.rank_bytes <= shared.machine_bytes / 2);
        assert_eq!(budget(Some(77), 2).rank_bytes, 77);
    }
}
