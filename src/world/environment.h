// Every environment variable that a job knows: those that our launcher sets for each process that it starts,
// and those of others' launchers. `find_world` reads them.
#pragma once

namespace trireme::world::environment {

/// The number of this node: 0 … size − 1. Always together with the size.
inline constexpr const char* kRank = "TRIREME_RANK";

/// How many nodes take part: at least 1.
inline constexpr const char* kSize = "TRIREME_SIZE";

/// The deadline of one exchange, in seconds as a decimal number; whatever `--timeout` takes is understood
/// too. `trireme launch` without `--timeout` takes it from here, if it is set. Not set: what the program says
/// when it joins, or 60 s.
inline constexpr const char* kTimeout = "TRIREME_TIMEOUT";

/// The number of an inherited file descriptor: memory that all nodes of the job on this host share. Not set
/// where there is none.
inline constexpr const char* kSegment = "TRIREME_SEGMENT";

/// The place where the nodes meet: "host:port", where rank 0 listens, or the absolute path of a file that all
/// can read.
inline constexpr const char* kMeet = "TRIREME_MEET";

/// The number of an inherited socket that listens already: the one at which rank 0 meets the others.
inline constexpr const char* kListener = "TRIREME_LISTENER";

/// The secret that the nodes prove to each other to know. Never shown.
inline constexpr const char* kSecret = "TRIREME_SECRET";

/// A file of mode 0600 with the secret in its first line.
inline constexpr const char* kSecretFile = "TRIREME_SECRET_FILE";

/// The wire to take: auto, shm, tcp or mpi. Threads are refused, because nodes are processes. Not set: what
/// the program says when it joins, or auto.
inline constexpr const char* kWire = "TRIREME_WIRE";

/// Over how many hosts the nodes are spread. Not set: they are all on this one, or nobody knows.
inline constexpr const char* kHosts = "TRIREME_HOSTS";

/// All of ours. Those that a launcher finds in its own environment belong to an outer job; it does not pass
/// them on.
inline constexpr const char* kAll[] = {kRank,     kSize,   kTimeout,    kSegment, kMeet,
                                       kListener, kSecret, kSecretFile, kWire,    kHosts};

// torchrun, and whoever else speaks its language.

/// The number of this process, as torchrun sets it. Others set it, too, and then it may count hosts.
inline constexpr const char* kTorchRank = "RANK";
/// How many processes there are; some older operators for Kubernetes count pods.
inline constexpr const char* kTorchSize = "WORLD_SIZE";
/// The number of this process on its host. Only torchrun and its forerunner set it together with the rank.
inline constexpr const char* kTorchLocalRank = "LOCAL_RANK";
inline constexpr const char* kTorchLocalSize = "LOCAL_WORLD_SIZE";
/// How many agents of torchrun there are, one on each host as a rule.
inline constexpr const char* kTorchAgents = "GROUP_WORLD_SIZE";
/// The name of the job, and how often its processes have been started again.
inline constexpr const char* kTorchRunId = "TORCHELASTIC_RUN_ID";
inline constexpr const char* kTorchRestarts = "TORCHELASTIC_RESTART_COUNT";
/// The host of rank 0.
inline constexpr const char* kMasterHost = "MASTER_ADDR";
/// A port there. Under torchrun its agent listens at it; without torchrun rank 0 may.
inline constexpr const char* kMasterPort = "MASTER_PORT";
/// Kubeflow tells torchrun how many processes each pod is to start, and how many pods there are.
inline constexpr const char* kPodProcesses = "PET_NPROC_PER_NODE";
inline constexpr const char* kPods = "PET_NNODES";

// Open MPI.

inline constexpr const char* kOpenMpiRank = "OMPI_COMM_WORLD_RANK";
inline constexpr const char* kOpenMpiSize = "OMPI_COMM_WORLD_SIZE";
inline constexpr const char* kOpenMpiLocalRank = "OMPI_COMM_WORLD_LOCAL_RANK";
inline constexpr const char* kOpenMpiLocalSize = "OMPI_COMM_WORLD_LOCAL_SIZE";
/// The address of its mpirun (up to version 4): no two jobs have the same.
inline constexpr const char* kOpenMpiUri = "OMPI_MCA_orte_hnp_uri";

// PMI: Hydra of MPICH and Intel MPI, srun --mpi=pmi2, Flux.

inline constexpr const char* kPmiRank = "PMI_RANK";
inline constexpr const char* kPmiSize = "PMI_SIZE";
/// The rank, where a process is to ask for the size at a port (Hydra with -pmi-port, mpirun_rsh).
inline constexpr const char* kPmiId = "PMI_ID";
inline constexpr const char* kPmiPort = "PMI_PORT";
inline constexpr const char* kPmiJob = "PMI_JOBID";
inline constexpr const char* kPmiLocalRank = "MPI_LOCALRANKID";
inline constexpr const char* kPmiLocalSize = "MPI_LOCALNRANKS";

// MVAPICH2.

inline constexpr const char* kMvapichRank = "MV2_COMM_WORLD_RANK";
inline constexpr const char* kMvapichSize = "MV2_COMM_WORLD_SIZE";
inline constexpr const char* kMvapichLocalRank = "MV2_COMM_WORLD_LOCAL_RANK";
inline constexpr const char* kMvapichLocalSize = "MV2_COMM_WORLD_LOCAL_SIZE";

// Flux.

inline constexpr const char* kFluxRank = "FLUX_TASK_RANK";
inline constexpr const char* kFluxSize = "FLUX_JOB_SIZE";
inline constexpr const char* kFluxLocalRank = "FLUX_TASK_LOCAL_ID";
inline constexpr const char* kFluxHosts = "FLUX_JOB_NNODES";
inline constexpr const char* kFluxJob = "FLUX_JOB_ID";

// PMIx: Open MPI, PRRTE, srun --mpi=pmix.

/// The size stands in no variable.
inline constexpr const char* kPmixRank = "PMIX_RANK";
/// The name of the job; "slurm.pmix.JOB.STEP" where it is a step of Slurm.
inline constexpr const char* kPmixJob = "PMIX_NAMESPACE";

// Slurm. A batch script has most of these, too, and so has whatever it starts without srun.

inline constexpr const char* kSlurmRank = "SLURM_PROCID";
inline constexpr const char* kSlurmSize = "SLURM_STEP_NUM_TASKS";
/// How many tasks the whole allocation has room for, also where nothing has started them.
inline constexpr const char* kSlurmAllTasks = "SLURM_NTASKS";
inline constexpr const char* kSlurmLocalRank = "SLURM_LOCALID";
/// How many tasks each host has, as in "2(x3),1", and which of the hosts this is.
inline constexpr const char* kSlurmTasksPerHost = "SLURM_STEP_TASKS_PER_NODE";
inline constexpr const char* kSlurmHost = "SLURM_NODEID";
inline constexpr const char* kSlurmHosts = "SLURM_STEP_NUM_NODES";
inline constexpr const char* kSlurmJob = "SLURM_JOB_ID";
/// Absent in a batch script, or one of the highest numbers.
inline constexpr const char* kSlurmStep = "SLURM_STEP_ID";

}  // namespace trireme::world::environment
