//! The room on disk that one rank has, in a folder of its own.
//!
//! The folder's name tells the machine, the process and its start time, so that a later run can tell the
//! folders of runs that crashed from those of runs that live, and remove only the former. Files in it are unlinked as soon
//! as they are made: their room is given back however the process ends.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::HostError;
use crate::base::Rank;

/// Bytes at positions: written, read, written over.
pub trait Disk {
    fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), HostError>;
    /// Reads as many bytes as there is room for.
    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), HostError>;
    /// Where the bytes are, for messages.
    fn path(&self) -> PathBuf;
}

const PREFIX: &str = "verify-";
/// The file behind `Disk`.
const BLOCKS: &str = "blocks";

/// A folder that is removed with everything in it when this is dropped; as a `Disk`, one file in it.
pub struct FileDisk {
    folder: PathBuf,
    /// Made when something is written.
    blocks: Option<File>,
}

impl FileDisk {
    /// Makes this rank's folder under `parent`, and removes folders there that crashed runs of this machine left.
    pub fn open(parent: &Path, rank: Rank) -> Result<FileDisk, HostError> {
        fs::create_dir_all(parent).map_err(|error| HostError::file(parent, "making the folder", error))?;
        remove_stale(parent);
        let owner = Owner::this_process();
        let folder = parent.join(format!("{PREFIX}{}-r{rank}.{}", owner.label(), serial()));
        fs::create_dir_all(&folder).map_err(|error| HostError::file(&folder, "making the folder", error))?;
        Ok(FileDisk { folder, blocks: None })
    }

    /// Where a file of this name is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A new file that no name leads to.
    pub fn unlinked(path: &Path) -> Result<File, HostError> {
        let open = File::options().read(true).write(true).create_new(true).open(path);
        let file = open.map_err(|error| HostError::file(path, "making the file", error))?;
        let _ = fs::remove_file(path);
        Ok(file)
    }
}

impl Disk for FileDisk {
    fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), HostError> {
        let path = self.path();
        let file = match &mut self.blocks {
            Some(file) => file,
            none => none.insert(FileDisk::unlinked(&path)?),
        };
        file.write_all_at(bytes, at).map_err(|error| HostError::file(path, "writing", error))
    }

    fn read(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        let read = match &mut self.blocks {
            Some(file) => file.read_exact_at(bytes, at),
            None => Err(std::io::ErrorKind::NotFound.into()),
        };
        read.map_err(|error| HostError::file(self.path(), "reading", error))
    }

    fn path(&self) -> PathBuf {
        self.file(BLOCKS)
    }
}

impl Drop for FileDisk {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            log::warn!("{}: could not be removed: {error}", self.folder.display());
        }
    }
}

/// The process that a folder belongs to.
#[derive(PartialEq, Eq, Debug)]
struct Owner {
    machine: String,
    pid: u32,
    /// In clock ticks since boot: tells a process from a later one with the same number.
    start: u64,
}

impl Owner {
    fn this_process() -> Owner {
        let pid = std::process::id();
        Owner { machine: machine_name(), pid, start: start_time(pid).unwrap_or(0) }
    }

    fn label(&self) -> String {
        format!("{}-{}-{}", self.machine, self.pid, self.start)
    }

    /// Reads `machine-pid-start` (a machine's name may have dashes).
    fn parse(label: &str) -> Option<Owner> {
        let mut parts = label.rsplitn(3, '-');
        let start = parts.next()?.parse().ok()?;
        let pid = parts.next()?.parse().ok()?;
        Some(Owner { machine: parts.next()?.to_string(), pid, start })
    }

    fn is_gone(&self) -> bool {
        self.machine == machine_name() && start_time(self.pid) != Some(self.start)
    }
}

fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let label = name.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once("-r")).map(|(label, _)| label);
        if label.and_then(Owner::parse).is_some_and(|owner| owner.is_gone()) {
            log::info!("{}: left by a run that crashed, removed", entry.path().display());
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A number that this process gives once: several searches may run in it, one after the other or side by side.
fn serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The name of this machine, fit for a file name.
pub fn machine_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String =
        name.trim().chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
    if name.is_empty() { "machine".to_string() } else { name }
}

/// A process's start time; `None` when there is no such process.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command, in parentheses, may hold spaces; the 22nd field is the 20th behind it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("verify-disk-test-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_folder_lives_as_long_as_its_disk() {
        let parent = scratch("lives");
        let mut disk = FileDisk::open(&parent, Rank(3)).unwrap();
        let mut bytes = [0; 3];
        assert!(disk.read(0, &mut bytes).unwrap_err().to_string().contains("reading failed"));
        disk.write(5, b"xyz").unwrap();
        disk.read(5, &mut bytes).unwrap();
        assert_eq!(&bytes, b"xyz");
        assert!(disk.read(6, &mut bytes).unwrap_err().to_string().contains("reading failed"));
        // A second rank of the same process must not take the first one's folder for stale.
        let other = FileDisk::open(&parent, Rank(4)).unwrap();
        disk.write(6, b"ZZ").unwrap();
        disk.read(5, &mut bytes).unwrap();
        assert_eq!(&bytes, b"xZZ");
        drop((disk, other));
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 0);
        fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn folders_of_crashed_runs_are_removed_and_others_are_not() {
        let parent = scratch("stale");
        let gone = parent.join(format!("{PREFIX}{}-4000000-1-r0", machine_name()));
        let elsewhere = parent.join(format!("{PREFIX}other.machine-4000000-1-r0"));
        let foreign = parent.join("notes");
        for folder in [&gone, &elsewhere, &foreign] {
            fs::create_dir_all(folder).unwrap();
        }
        drop(FileDisk::open(&parent, Rank(0)).unwrap());
        assert!(!gone.exists() && elsewhere.exists() && foreign.exists());
        fs::remove_dir_all(parent).unwrap();
    }
}
