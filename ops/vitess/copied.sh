# shellcheck shell=bash disable=SC2154
# To be sourced, where ctl is vtctldclient and workflow a workflow of it, such as (MoveTables --workflow W --target-keyspace K).

# Returns once its rows are copied and what is written meanwhile follows. A workflow that has only been made is not refused by
# switchtraffic, so its dry run does not tell that.
await_copied() {
  local said
  while said=$("${ctl[@]}" "${workflow[@]}" status); do
    ! grep -q 'Status: Error' <<<"$said" || break
    ! grep -q 'Status: Running' <<<"$said" || grep -qE 'Status: [^R]|VStream has not started|Phase:[^C]' <<<"$said" || return 0
    sleep 1
  done
  echo "$said" >&2
  return 1
}
