# Inside another job: the wires are tested in separate jobs, and nothing of that reaches the terminal.
export RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=5114 TRIREME_SECRET='open sesame, open sesame'
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_RANK=0 trireme doctor 2>&1 |
  grep -v '^trireme doctor: ' | grep -E '^trireme|as Open MPI says|does not work|^Every|^Jobs'
