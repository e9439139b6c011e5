# shellcheck shell=bash disable=SC2154
# For scripts that try the gateway for real, to be sourced: a working folder in $work, processes that end with the script,
# a sample upstream, a database, gateways. Needs a built jar, curl, jq, java.
#   JAVA_HOME, JAVA_OPTS   of the gateways
case ${1:-} in -h | --help) sed -n '2,/^set/s/^# //p' "$0" && exit ;; esac
PATH=$PATH:/usr/sbin
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=ops/faults/limits.sh
. "$root/ops/faults/limits.sh"
# shellcheck source=ops/faults/ports.sh
. "$root/ops/faults/ports.sh"
jar=$root/target/memory-gateway.jar
work=$(mktemp -d)
chmod 755 "$work"
pids=()

fail() { echo "FAILED: $*" >&2; exit 1; }
say() { printf '%s\n' "$*"; }

clean_up() {
  local status=$? i
  set +e
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" 2>/dev/null
  done
  [ "$status" = 0 ] || grep -hE -m 5 'WARN|ERROR|level=(warn|error)|\[(warn|error|crit|alert|emerg)\]' "$work"/*.log 2>/dev/null >&2
  ! declare -F at_end >/dev/null || at_end
  rm -rf "$work"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for tool in curl jq java; do
  command -v "$tool" >/dev/null || fail "$tool is missing"
done
for file in "$jar" "$root/target/test.classpath"; do
  [ -e "$file" ] || fail "build first: mvn -DskipTests package"
done

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
# A class of the tests, in place of the shell: for the background only.
test_class() { exec "$java" -cp "$root/target/classes:$root/target/test-classes:$(<"$root/target/test.classpath")" "$@"; }

# WHAT COMMAND…: until the command succeeds, for at most ten minutes, which only a hang takes
await() {
  local what=$1 i
  shift
  for ((i = 0; i < 3000; i++)); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.2
  done
  fail "$what: not within ten minutes"
}

# MILLIS: an upstream that answers all endpoints, MILLIS between two events of a stream; sets $upstream
start_upstream() {
  test_class io.memorygateway.quickstart.UpstreamProcess "$1" >"$work/upstream" 2>"$work/upstream.log" &
  pids+=($!)
  await "the upstream" test -s "$work/upstream"
  upstream=$(<"$work/upstream")
  export OPENAI_API_KEY=sk-upstream OPENAI_BASE_URL=$upstream/v1 ANTHROPIC_API_KEY=sk-upstream ANTHROPIC_BASE_URL=$upstream
}

# The server that DATABASE_URL names, or an embedded MariaDB.
start_database() {
  [ -z "${DATABASE_URL:-}" ] || return 0
  (cd "$root" && test_class io.memorygateway.testing.DatabaseProcess "$work/mariadb") \
    >"$work/database" 2>"$work/database.log" &
  pids+=($!)
  await "the database" test -s "$work/database"
  DATABASE_URL=$(<"$work/database")
  DATABASE_PASSWORD=$(<"$work/mariadb/mariadbd.password")
  export DATABASE_URL DATABASE_USER=root DATABASE_PASSWORD
}

migrate() { "$java" -jar "$jar" db migrate "$root/config.yml" >"$work/migrate.log" 2>&1; }

# NAME PORT ADMIN_PORT: a gateway on the environment's database; its process id is $NAME_pid
start_gateway() {
  # shellcheck disable=SC2086 # a list of words
  GATEWAY_PORT=$2 GATEWAY_ADMIN_PORT=$3 "$java" ${JAVA_OPTS:-} -jar "$jar" server "${config:-$root/config.yml}" \
    >"$work/$1.log" 2>&1 &
  pids+=($!)
  printf -v "$1_pid" %s $!
  await "gateway $1" curl -sf "http://127.0.0.1:$3/healthcheck"
}

# PID: TERM, and waits for the end
stop() { kill "$1" && { wait "$1" || [ $? = 143 ]; }; }

# ADMIN_PORT [PROJECT]: a new key
issue_key() { curl -sf -X POST "http://127.0.0.1:$1/tasks/key-issue?project=${2:-trial}&name=trial" | jq -r .key; }

# PORT METHOD PATH [BODY] [CURL-OPTION…]: the answer; an error answer fails. The key is $key.
call() {
  local port=$1 method=$2 path=$3 body=${4:-}
  shift $(($# < 4 ? $# : 4))
  curl -sS --fail-with-body --path-as-is -X "$method" "http://127.0.0.1:$port$path" -H "Authorization: Bearer $key" \
    ${body:+-H 'Content-Type: application/json' --data-binary "$body"} "$@"
}

chat() { printf '{"model":"openai/gpt-5-mini","stream":%s,"messages":[{"role":"user","content":"%s"}]}' "${2:-false}" "$1"; }
