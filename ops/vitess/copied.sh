# shellcheck shell=bash disable=SC2154
# To be sourced, where ctl is vtctldclient and workflow a workflow of it, such as (MoveTables --workflow W --target-keyspace K).

# Returns once its rows are copied and what is written meanwhile follows closely. A workflow that has only been made is not refused by
# switchtraffic, so its dry run does not tell the one, and the status does not tell the other.
await_copied() {
  local said
  while said=$("${ctl[@]}" "${workflow[@]}" status); do
    ! grep -qE 'Status: (Error|Stopped)' <<<"$said" || break
    if grep -q 'Status: Running' <<<"$said" && ! grep -qE 'Status: [^R]|VStream has not started|Phase:[^C]' <<<"$said"; then
      until said=$("${ctl[@]}" "${workflow[@]}" switchtraffic --dry-run 2>&1); do
        grep -q 'replication lag' <<<"$said" || break 2
        sleep 1
      done
      return 0
    fi
    sleep 1
  done
  echo "$said" >&2
  return 1
}
