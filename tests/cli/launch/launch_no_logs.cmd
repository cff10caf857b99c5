# Without the usual folder for logs the job goes on; nobody can make one here.
cd /proc || exit
trireme launch -n 1 -- echo hello 2>&1 | sed -E 's/[0-9]{8}-[0-9]{6}-[0-9]+/TIME-PROCESS/'
