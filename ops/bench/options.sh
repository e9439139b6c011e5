# shellcheck shell=bash
# To be sourced. Sets BENCH_JAVA_OPTS, unless it is set, to the options with which ops/systemd/memory-gateway.service starts the
# gateway, but for its share of the memory and its archive of classes.
: "${BENCH_JAVA_OPTS=$(sed -n 's/^Environment="JAVA_OPTS=\(.*\)"$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../systemd/memory-gateway.service" |
  tr ' ' '\n' | grep -vE 'MaxRAM|Archive' | paste -s -d ' ')}"
