OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMI_RANK=0 PMI_SIZE=2 \
  trireme doctor 2>/dev/null | sed -n '/^World/,/^Host/p; /a job cannot/,+1p; $p'
