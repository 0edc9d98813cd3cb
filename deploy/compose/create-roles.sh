#!/bin/sh
# Runs once, when the database is made: three roles that cannot become each other, and a database that the servers' role owns.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --username postgres \
  --set owner="$LATCHKEY_DATABASE_PASSWORD" --set tenant="$LATCHKEY_TENANT_PASSWORD" --set signer="$LATCHKEY_SIGNER_PASSWORD" <<'SQL'
create role latchkey login password :'owner' nosuperuser nocreatedb nocreaterole;
create role latchkey_tenant login password :'tenant' nosuperuser nocreatedb nocreaterole;
create role latchkey_signer login password :'signer' nosuperuser nocreatedb nocreaterole;
create database latchkey owner latchkey;
SQL
