#!/bin/bash
# `launcher: [srun, …]` with a Slurm of this test's own on one machine: trials run as jobs, those that are ended or stopped
# leave none, and the trials are those without it.
. tests/support/lib.sh
. tests/support/examples.sh
split_blocks experiments/manual/executors.md
for block in "$dir"/blocks/*; do
    [ "$(file_name "$block")" != slurm_tune.yaml ] || cp "$block" "$dir/slurm_tune.yaml"
done
need slurmctld slurmctld
need slurmd slurmd
need munged munge
clean_up() {
    scontrol shutdown
    sleep 1
    xargs kill <"$dir/munged.pid"
} >/dev/null 2>&1
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 400 "$dir/munge.key"
host=$(hostname -s)
mkdir "$dir/state" "$dir/spool"
export SLURM_CONF=$dir/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
CryptoType=crypto/munge
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
start_slurm() {
    munged --force "--key-file=$dir/munge.key" "--socket=$dir/munge.sock" "--pid-file=$dir/munged.pid" \
        "--log-file=$dir/munged.log" "--seed-file=$dir/munge.seed" && slurmctld && slurmd || return 1
    for _ in $(seq 100); do
        if sinfo -h -o %T | grep -q idle; then return 0; fi
        sleep 0.2
    done
    cat "$dir"/slurm*.log
    return 1
}
check "Slurm starts" start_slurm || finish
check "the tune file of the manual" [ -s "$dir/slurm_tune.yaml" ]
cd "$dir" || exit 1
check "runs" "$maxk" tune slurm_tune.yaml -q -o page.h5 -s workers=2 -s budget.evaluations=16
check "its trials" equal "$(sed 1d page.csv | wc -l)" 16
sed '/^launcher:/d' slurm_tune.yaml >here.yaml
check "without its launcher" "$maxk" tune here.yaml -q -o here.h5 -s workers=2 -s budget.evaluations=16 -s name=slurm_tune
check "are the same" cmp page.csv here.csv
cat >t.yaml <<'END'
command: [sh, -c, "echo $SLURM_JOB_ID >>jobs; [ {slow} = no ] || sleep 600; echo {x}"]
metric: {last_number: true, maximize: true}
policy: max_ucb
arms: [{label: a, space: {x: {real: [0, 1]}, slow: {constant: no}}},
       {label: b, space: {x: {real: [0, 0.9]}, slow: {constant: no}}}]
workers: 2
lag: 2
budget: {evaluations: 8}
END
check "trials by srun" "$maxk" tune t.yaml -q -o slurm.h5 -s 'launcher=[srun, -n1, --exclusive]'
check "run as jobs, one each" equal "$(grep -c '^[0-9]' jobs) $(sort -u jobs | wc -l)" "8 8"
check "without it" "$maxk" tune t.yaml -q -o plain.h5
check "the trials are the same" cmp slurm.csv plain.csv
gone() { # no job within ten seconds
    for _ in $(seq 50); do
        if [ -z "$(squeue -h)" ]; then return 0; fi
        sleep 0.2
    done
    squeue
    return 1
}
sed 's/\(label: b.*slow: {constant: \)no/\1yes/; s/evaluations: 8/evaluations: 4/' t.yaml >slow.yaml
check "a trial that takes too long" "$maxk" tune slow.yaml -q -o slow.h5 -s timeout=3 -s grace=30 -s 'launcher=[srun, -n1]'
check "is ended" equal "$(grep -c 'timed out' slow.csv)" "$(grep -c ',b,' slow.csv)"
check "its job too" gone
"$maxk" tune slow.yaml -q -o stopped.h5 -s grace=30 -s 'launcher=[srun, -n1]' &
tuner=$!
sleep 4
kill -INT $tuner
wait $tuner
check "a run that is stopped leaves no job" gone
finish
