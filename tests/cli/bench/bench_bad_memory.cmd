trireme bench allreduce --workers 4 --min-bytes 1099511627776 --max-bytes 1099511627776 2>&1 | sed -E 's/, [0-9.]+ [A-Z]+ are left/, SOME are left/'
