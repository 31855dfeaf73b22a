#!/bin/sh
# How often MaxUCB pulls each arm up to T, with a proof and without a simulation.
#
# Run: experiments/examples/certify.sh   (MAXK says which program, build/maxk unless it is set)
set -eu
arms=$(mktemp --suffix .yaml)
trap 'rm -f "$arms"' EXIT
cat >"$arms" <<'END'
problem:
  arms:
    - {family: uniform, lo: 0, hi: 0.9}
    - {family: power, a: 2, s: 1}
policies: [{name: max_ucb, alpha: 0.5}]
horizons: [10000]
END
"${MAXK:-build/maxk}" certify "$arms" --show arm,lower,upper
