# Without the default folder for logs the job goes on; here it cannot be created.
cd /proc || exit
trireme launch -n 1 -- echo hello 2>&1 | sed -E 's/[0-9]{8}-[0-9]{6}-[0-9]+/TIME-PROCESS/'
