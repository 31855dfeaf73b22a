#!/bin/bash
# Several ranks write the same file as one process; a rank that fails or is killed is reported, and --resume continues.
# Uses its own program next to $MAXK, built here.
. tests/support/lib.sh
ordinary_build_only "what is not MPI's is in test_shards.sh and test_resume.sh"
need mpirun openmpi-bin
need h5diff hdf5-tools
mpi=$(dirname "$maxk")/maxk-mpi
check "make maxk-mpi" tests/support/make_same.sh -s maxk-mpi || finish
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
one() { "$mpi" run "$dir/e.yaml" -q "$@"; }
ranks() { # NUMBER, options; sets $code
    local n=$1
    shift
    timeout -k 10 120 mpirun -n "$n" "$mpi" run "$dir/e.yaml" -j 1 "$@" >"$dir/out" 2>"$dir/err"
    code=$?
}

cat >"$dir/e.yaml" <<'YAML'
name: e
problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 1}, {family: beta, a: 2, b: 3}]}
policies: [{name: max_ucb, alpha: [0.1, 0.5]}, {name: oracle}]
horizons: [10, 300]
replications: 500
YAML
check "one process" one -o "$dir/one.h5"
for n in 1 2 7; do
    ranks $n -o "$dir/$n.h5"
    check "$n ranks: the file of one process" same "$dir/$n.h5" "$dir/one.h5"
done
check "one line of report, by rank 0 alone: $(sed "s#$dir/##g" "$dir/out")" one_line "$dir/out" '7 ranks, 7 threads'
ranks 2 -q -s keep=summary -o "$dir/s2.h5"
check "one process, keep: summary" one -s keep=summary -o "$dir/s1.h5"
check "keep: summary, 2 ranks" same "$dir/s2.h5" "$dir/s1.h5"

rare=(-s 'policies=[{name: max_ucb, alpha: [0.3, 0.5]}]' -s rare_events=400 -s 'horizons=[100, 100000]')
check "one process, rare events" one "${rare[@]}" -o "$dir/r1.h5"
for n in 2 7; do
    ranks $n -q "${rare[@]}" -o "$dir/r$n.h5"
    check "rare events, $n ranks" same "$dir/r$n.h5" "$dir/r1.h5"
done

ranks 3 -s policies.0.alpha=-1 -o "$dir/x.h5"
check "bad input: exit code 2 and one line" equal "$code $(grep -c alpha "$dir/err")" "2 1"
ranks 3 -s seed=8 -o "$dir/one.h5"
check "a result of another seed is set aside, which is said once" \
    equal "$code $(grep -c 'one.h5.previous' "$dir/err") $([ -e "$dir/one.h5.previous" ] && echo kept)" "0 1 kept"
if ! ldd "$maxk" | grep -q libmpi; then
    timeout -k 10 60 mpirun -n 2 "$maxk" run "$dir/e.yaml" -o "$dir/x.h5" >"$dir/out" 2>"$dir/err"
    check "a program without MPI under mpirun says so" has "$dir/err" 'built without MPI.*make MPI=1'
fi

# One rank of four is killed, or asked to stop, in the middle: finished blocks are kept.
sed -i 's/300/3000/' "$dir/e.yaml"
rank_2() {
    pgrep -f "^$mpi run $dir/e.yaml" | while read -r p; do
        tr '\0' '\n' <"/proc/$p/environ" | grep -qx OMPI_COMM_WORLD_RANK=2 && echo "$p"
    done
}
# strike SIGNAL REPLICATIONS: to rank 2 as soon as the journal exists; fails if the run ended before.
strike() {
    rm -f "$dir"/k.h5*
    (ranks 4 -s replications=$2 -o "$dir/k.h5"; exit $code) &
    local job=$! pids=
    for i in $(seq 6000); do
        [ -n "$pids" ] || pids=$(rank_2)
        [ -n "$pids" ] && [ "$(stat -c %s "$dir/k.h5.journal" 2>/dev/null || echo 0)" -gt 20000 ] && break
        kill -0 $job 2>/dev/null || break
        sleep 0.01
    done
    [ -n "$pids" ] && kill -$1 $pids
    wait $job
    code=$?
    [ ! -e "$dir/k.h5" ]
}
for signal in KILL TERM; do
    for n in 6000 24000 96000; do strike $signal $n && break; done # more where processors are fast
    check "rank 2 gets SIG$signal: exit code $code, not 0" [ $code -ne 0 ]
    check "SIG$signal: the rank is named" has "$dir/err" 'rank 2'
    if [ $signal = TERM ]; then
        check "SIGTERM: what is kept: $(grep -m1 kept "$dir/err" | sed "s#$dir/##g")" \
            has "$dir/err" '^rank 2 .*replications are kept.*--resume'
    fi
    ranks 3 -s replications=$n --resume -o "$dir/k.h5"
    check "SIG$signal: three ranks resume what four began" has "$dir/out" 'resumed'
    [ -e "$dir/long.$n.h5" ] || check "$n replications at once" one -s replications=$n -o "$dir/long.$n.h5"
    check "SIG$signal: the same file" same "$dir/k.h5" "$dir/long.$n.h5"
done
finish
