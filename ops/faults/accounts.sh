# shellcheck shell=bash disable=SC2154
# After common.sh: a schema of its own with the accounts of ops/mysql/grants.sql, on the MySQL server that DATABASE_URL names
# (jdbc:mysql://HOST:PORT/) with an administrator's DATABASE_USER and DATABASE_PASSWORD. Option files for MySQL's programs are
# $work/{admin,gateway,migrations,backup}.cnf. Everything is dropped at the end. Needs mysql.
: "${DATABASE_URL:?jdbc:mysql://HOST:PORT/ of a MySQL server}"
command -v mysql >/dev/null || fail "mysql is missing: MySQL's client programs"
address=$(sed -E 's|^jdbc:mysql://([^/]*)/.*|\1|' <<<"$DATABASE_URL")
host=${address%:*} port=${address##*:}
schema=gateway_trial_$$

# NAME USER PASSWORD
option_file() {
  # Backslashes and quotes are escaped in option files.
  local secret=${3//\\/\\\\}
  umask 077
  printf '[client]\nhost=%s\nport=%s\nuser=%s\npassword="%s"\n' "$host" "$port" "$2" "${secret//\"/\\\"}" >"$work/$1.cnf"
}
# NAME OPTION…
sql() { mysql --defaults-file="$work/$1.cnf" -BN "${@:2}"; }

at_end() {
  local name
  for name in "" _restored; do sql admin -e "DROP DATABASE IF EXISTS $schema$name"; done
  for name in "" _migrations _backup; do sql admin -e "DROP USER IF EXISTS $schema$name"; done
}

option_file admin "${DATABASE_USER:-root}" "${DATABASE_PASSWORD:-}"
sed "s/memory_gateway/$schema/g" "$root/ops/mysql/grants.sql" | sql admin --raw >"$work/passwords"
declare -A password
while IFS=$'\t' read -r user _ secret _; do
  password[$user]=$secret
done <"$work/passwords"
[ "${#password[@]}" = 3 ] || fail "grants.sql made ${#password[@]} accounts"
option_file gateway "$schema" "${password[$schema]}"
option_file migrations "${schema}_migrations" "${password[${schema}_migrations]}"
option_file backup "${schema}_backup" "${password[${schema}_backup]}"

export DATABASE_URL=jdbc:mysql://$address/$schema DATABASE_USER=$schema DATABASE_PASSWORD=${password[$schema]}
migrate_as_migrations() {
  DATABASE_USER=${schema}_migrations DATABASE_PASSWORD=${password[${schema}_migrations]} migrate ||
    fail "db migrate as the account for migrations: $(tail -n 3 "$work/migrate.log")"
}
