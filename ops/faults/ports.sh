# shellcheck shell=bash
# Ports for scripts that start servers, to be sourced.

# A port below the ephemeral ones where nobody listens, another each time, and none of another script's that runs as this user.
free_port() {
  local port owner given=${TMPDIR:-/tmp}/memory-gateway-ports-$UID
  mkdir -p "$given"
  while port=$((20000 + RANDOM % 12000)); do
    owner=$(readlink "$given/$port" || true)
    if [ -n "$owner" ]; then
      ! kill -0 "$owner" 2>/dev/null || continue
      rm -f "$given/$port"
    fi
    # The name is there once, whoever else tries; it names the script, also from within $( ).
    ln -s $$ "$given/$port" 2>/dev/null || continue
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}
