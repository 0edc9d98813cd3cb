-- Everything here belongs to the signer's role, and nothing here uses an object of another role: a policy, a domain or a
-- trigger of the platform would run with the signer's rights.

-- One row that only opens with the master key these keys were made with.
create table master_key_check (
  id int primary key check (id = 1),
  sealed text not null
);

create table keys (
  user_id text primary key,
  wallet_id text not null unique,
  address text not null unique,
  public_key text not null,
  private_key text not null check (private_key ~ '^v1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$'),
  created_at timestamptz not null
);

-- What the platform asks for. It may add and withdraw requests and read the answers, and change nothing of either.
create table requests (
  id text primary key check (id ~ '^[A-Za-z0-9]{21,64}$'),
  user_id text not null check (length(user_id) between 1 and 256),
  kind text not null check (kind in ('make-key', 'sign')),
  -- Of a key to be made.
  wallet_id text,
  -- Of a signature: for which wallet, how the text is to be understood, and the whole text.
  address text,
  purpose text check (purpose in ('message', 'typed-data', 'hash')),
  text text check (length(text) <= 65536),
  -- The application that asked, for the record of what was signed.
  client_id text,
  -- When the user proved a passkey or a one-time password for this request.
  stepped_up_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'refused')),
  answer jsonb,
  check ((kind = 'make-key') = (wallet_id is not null)),
  check ((kind = 'sign') = (address is not null and purpose is not null and text is not null)),
  check ((state = 'pending') = (answer is null))
);
create index requests_pending on requests (created_at, id) where state = 'pending';
create index requests_expiry on requests (expires_at);
alter table requests enable row level security;
create policy tenant on requests
  using (current_setting('latchkey.tenant', true) in ('*', user_id))
  with check (current_setting('latchkey.tenant', true) in ('*', user_id));

-- What was signed, for limits and for those who ask later. A request can be here once; the signature itself is not kept,
-- since with its text it may open a door elsewhere.
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
create index signatures_by_user on signatures (user_id, signed_at);
alter table signatures enable row level security;
create policy tenant on signatures using (current_setting('latchkey.tenant', true) in ('*', user_id));

-- Erases all that the signer knows of a user, within the transaction of whoever erases the account.
create function forget(forgotten text) returns void
  language sql security definer set search_path = signer, pg_temp
begin atomic
  delete from requests where user_id = forgotten;
  delete from keys where user_id = forgotten;
  delete from signatures where user_id = forgotten;
end;
revoke execute on function forget(text) from public;
