-- The role of the signer, where this user may make it. Elsewhere the operator makes it (docs/hosted-wallets.md).
do $$
begin
  create role latchkey_signer login nosuperuser nocreatedb nocreaterole;
exception
  when insufficient_privilege or duplicate_object or unique_violation then null;
end
$$;

-- Wallets whose keys the signer holds. The keys themselves are in a schema that only the signer's role can read.
create table hosted_wallets (
  user_id text primary key,
  platform text not null,
  id text not null unique,
  -- Hides the user in the registry: the chain has only a hash over both, and without the salt it says nothing.
  salt text not null check (salt ~ '^[0-9a-f]{64}$'),
  -- new: the signer has not answered yet; made: it has a key; registered: the registry has it too.
  state text not null check (state in ('new', 'made', 'registered')),
  address text unique,
  public_key text,
  token_id text,
  chain_id bigint not null,
  -- Known before the transaction is sent, so that a crash in between leaves a trace of it.
  prepared_hash text,
  -- Known once a node has taken the transaction.
  tx_hash text,
  created_at timestamptz not null,
  registered_at timestamptz,
  check ((state = 'new') = (address is null)),
  check (state <> 'registered' or tx_hash is not null)
);
alter table hosted_wallets enable row level security;
alter table hosted_wallets force row level security;
create policy tenant on hosted_wallets using (sees(user_id)) with check (sees(user_id));

-- The key that writes to the registry, where the operator did not configure one.
create table registrar_keys (
  id int primary key check (id = 1),
  private_key sealed_secret not null,
  created_at timestamptz not null
);
