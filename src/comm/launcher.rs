//! What the process's environment says of the launcher that started it.
//!
//! A binary whose MPI is not the launcher's runs as N lonely processes that each believe they are the whole
//! run: N wrong scaling figures and exit code 0. So the world that MPI reports is compared with what the
//! launcher promised, and a binary without MPI refuses to be one of many.

/// The launcher that started this process, and how many tasks it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    pub name: &'static str,
    pub tasks: u32,
    /// This process's number among the tasks, where the launcher says.
    pub task: Option<u32>,
}

/// Variables in order of precedence: `mpirun` inside a Slurm job leaves Slurm's own variables visible, with
/// the numbers of its daemons and not of its tasks.
const KNOWN: [(&str, &str, &str); 4] = [
    ("Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("a PMI launcher (MPICH, Intel MPI)", "PMI_SIZE", "PMI_RANK"),
    ("MVAPICH's launcher", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    ("Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

/// Reads the environment through `var`.
pub fn detect(var: impl Fn(&str) -> Option<String>) -> Option<Launcher> {
    KNOWN.iter().find_map(|&(name, size, rank)| {
        let tasks = var(size)?.trim().parse().ok()?;
        let task = var(rank).and_then(|r| r.trim().parse().ok());
        Some(Launcher { name, tasks, task })
    })
}

/// The launcher of this process.
pub fn here() -> Option<Launcher> {
    detect(|name| std::env::var(name).ok())
}

/// Settings of Open MPI that suit ranks that all share one machine: the way through shared memory at once, without trying
/// every network first (0.2 s at each start), and batches copied through it whole instead of announced and fetched.
const ON_ONE_MACHINE: [(&str, &str); 3] = [
    ("OMPI_MCA_pml", "ob1"),
    ("OMPI_MCA_btl_vader_eager_limit", "65536"), // Open MPI 4
    ("OMPI_MCA_btl_sm_eager_limit", "65536"),    // Open MPI 5
];
/// Whoever chose one of these has thought about transports, and is left alone.
const CHOSEN: [&str; 3] = ["OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl"];

/// What to add to the environment before MPI starts; nothing where ranks are spread over machines, where that is not known,
/// or where somebody has chosen a transport.
pub fn settings(var: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, &'static str)> {
    let number = |name| var(name).and_then(|value| value.trim().parse::<u32>().ok());
    let here = number("OMPI_COMM_WORLD_LOCAL_SIZE");
    if here.is_none()
        || here != number("OMPI_COMM_WORLD_SIZE")
        || CHOSEN.iter().any(|name| var(name).is_some())
    {
        return Vec::new();
    }
    ON_ONE_MACHINE.into_iter().filter(|(name, _)| var(name).is_none()).collect()
}

/// Why a world of `ranks` cannot be what the launcher started; `None` when all is well.
pub fn mismatch(launcher: Option<&Launcher>, ranks: u32, library: &str) -> Option<String> {
    let launcher = launcher.filter(|l| l.tasks != ranks && ranks == 1)?;
    Some(format!(
        "{} started {} tasks, but the MPI in this binary ({library}) sees a world of 1: \
         start it with the launcher of the MPI it was built with, or build it anew with that launcher's MPI",
        launcher.name, launcher.tasks
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<String> {
        move |name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string())
    }

    #[test]
    fn launchers_are_told_apart() {
        assert_eq!(detect(env(&[])), None);
        let open = detect(env(&[("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "3")])).unwrap();
        assert_eq!((open.tasks, open.task), (4, Some(3)));
        let mpich = detect(env(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")])).unwrap();
        assert_eq!((mpich.tasks, mpich.task), (2, Some(0)));
    }

    #[test]
    fn mpirun_inside_slurm_wins_over_slurm() {
        let both = detect(env(&[("SLURM_STEP_NUM_TASKS", "2"), ("OMPI_COMM_WORLD_SIZE", "8")])).unwrap();
        assert_eq!(both.tasks, 8);
        // A batch script's own process is not a task of a step.
        assert_eq!(detect(env(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")])), None);
    }

    #[test]
    fn only_open_mpi_on_one_machine_is_told_which_way_to_take() {
        let sizes = ("OMPI_COMM_WORLD_SIZE", "4");
        let names = |pairs: Vec<(&'static str, &'static str)>| {
            settings(env(pairs.leak())).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let here = ("OMPI_COMM_WORLD_LOCAL_SIZE", "4");
        assert_eq!(names(vec![sizes, here]).len(), ON_ONE_MACHINE.len());
        let eager = "OMPI_MCA_btl_vader_eager_limit";
        assert!(!names(vec![sizes, here, (eager, "4096")]).contains(&eager), "a value that is there stays");
        let none: [&str; 0] = [];
        assert_eq!(names(vec![sizes, here, ("OMPI_MCA_btl", "tcp,self")]), none);
        assert_eq!(names(vec![sizes, ("OMPI_COMM_WORLD_LOCAL_SIZE", "2")]), none);
        assert_eq!(names(vec![("PMI_SIZE", "2")]), none);
    }

    #[test]
    fn a_world_of_one_among_many_is_refused() {
        let four = Launcher { name: "Slurm's srun", tasks: 4, task: None };
        assert!(mismatch(Some(&four), 1, "MPICH").unwrap().contains("started 4 tasks"));
        assert_eq!(mismatch(Some(&four), 4, "MPICH"), None);
        assert_eq!(mismatch(None, 1, "MPICH"), None);
    }
}
