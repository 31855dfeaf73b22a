#!/bin/sh
# Kills every process that has NAME=VALUE in its environment: what a test has left behind, in whatever session or process
# group it is. Prints their number.
# usage: sweep.sh NAME=VALUE
left=0
for file in $(grep -lzxF "$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    kill -9 "${pid%/environ}" 2>/dev/null && left=$((left + 1))
done
echo $left
