-- Everything here belongs to the role of the signer, and nothing here uses an object of another role: a policy, a
-- domain or a trigger of the platform would run with the rights of the signer. Besides the signer, only the platform's
-- login has access, which works for every tenant, so row-level security would add nothing.

comment on table migrations is 'The migrations that were applied to this schema, each with the hash of its file.';

create table master_key_check (
  id int primary key check (id = 1),
  sealed text not null
);
comment on table master_key_check is 'One row that only the right master key can decrypt, so that a wrong one is detected at start.';

create table keys (
  user_id text primary key,
  wallet_id text not null unique,
  address text not null unique,
  public_key text not null,
  private_key text not null check (private_key ~ '^v1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz not null
);
comment on table keys is 'The keys of hosted wallets, sealed.';

create table requests (
  id text primary key check (id ~ '^[A-Za-z0-9]{21,64}$'),
  user_id text not null check (length(user_id) between 1 and 256),
  kind text not null check (kind in ('make-key', 'sign')),
  wallet_id text,
  address text,
  purpose text check (purpose in ('message', 'typed-data', 'hash')),
  text text check (length(text) <= 65536),
  client_id text,
  stepped_up_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'refused')),
  answer jsonb,
  approved_digest text check (approved_digest ~ '^[0-9a-f]{64}$'),
  check ((kind = 'make-key') = (wallet_id is not null)),
  check ((kind = 'sign') = (address is not null and purpose is not null and text is not null)),
  check ((state = 'pending') = (answer is null))
);
comment on table requests is 'Requests of the platform to the signer. The platform may add and withdraw requests and read responses, but change neither.';
comment on column requests.wallet_id is 'The wallet that a key is created for.';
comment on column requests.address is 'The wallet that signs.';
comment on column requests.purpose is 'How the text to sign is interpreted.';
comment on column requests.client_id is 'The requesting application, for the record of signatures.';
comment on column requests.stepped_up_at is 'When the user used a passkey or a one-time password for this request.';
comment on column requests.approved_digest is 'The digest of what the user was shown and approved, as hex. The signer compares it with what it is about to sign.';
create index requests_pending on requests (created_at, id) where state = 'pending';
create index requests_expiry on requests (expires_at);

-- The signature itself is not stored, since with its text it may grant access elsewhere.
create table signatures (
  request_id text primary key,
  user_id text not null,
  address text not null,
  purpose text not null,
  text text not null,
  digest text not null,
  client_id text,
  signed_at timestamptz not null
);
comment on table signatures is 'What was signed, for limits and for the history. Each request is signed once.';
create index signatures_by_user on signatures (user_id, signed_at);

-- Erases everything that the signer stores about a user, within the transaction that erases the account.
create function forget(forgotten text) returns void
  language sql security definer set search_path = signer, pg_temp
begin atomic
  delete from requests where user_id = forgotten;
  delete from keys where user_id = forgotten;
  delete from signatures where user_id = forgotten;
end;
revoke execute on function forget(text) from public;
