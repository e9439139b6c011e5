# shellcheck shell=bash disable=SC2154
# To be sourced, where ctl is vtctldclient and workflow a workflow of it, such as (MoveTables --workflow W --target-keyspace K).

# Returns once its rows are copied and what is written meanwhile follows closely.
await_copied() {
  local said
  until said=$("${ctl[@]}" "${workflow[@]}" switchtraffic --dry-run 2>&1); do
    grep -qE 'copy is still in progress|replication lag' <<<"$said" || { echo "$said" >&2; return 1; }
    sleep 1
  done
}
