trireme launch -n 2 --wire mpi -- true
