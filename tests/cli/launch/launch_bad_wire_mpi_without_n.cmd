trireme launch --wire mpi ./train
