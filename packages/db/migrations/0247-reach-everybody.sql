-- Members of every community are re-checked daily. An operator who chose another period for the plan keeps it.
update plans
  set check_period_seconds = 86400,
    description = 'What every community begins with. Members are re-checked every day, or as often as its admins choose.'
  where id = 'starter' and check_period_seconds = 604800;
update plans
  set description = 'Members are re-checked every day, or as often as its admins choose. The operator sets its price.'
  where id = 'community'
    and description = 'Members are looked at again every day, and whenever an admin asks. The operator sets its price.';
-- What was put off for days is spread over the next one, so that not every community is read at once.
update communities set next_check_at = now() + random() * interval '1 day'
  where check_period_seconds is null and next_check_at > now() + interval '1 day';

alter table wallet_connections
  -- What the account is called, for accounts that are no wallets: the name on X when it was linked.
  add column account_name text,
  -- When the chain last said whether the signer still speaks for the address.
  add column signer_checked_at timestamptz;
create index wallet_connections_signer on wallet_connections (signer_checked_at nulls first, id)
  where signer_address is not null and contract_chain is not null;
-- A person has one account of X at most.
create unique index wallet_connections_x on wallet_connections (user_id) where namespace = 'twitter';

-- Attempts to link an account of another service, for a quarter of an hour at most. Coming back takes one out.
create table account_link_attempts (
  state_hash hashed_secret primary key,
  -- Who began it: nobody else can finish it.
  user_id text not null,
  service text not null check (service in ('twitter')),
  -- The proof that the code was asked for here (RFC 7636).
  code_verifier sealed_secret not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index account_link_attempts_user on account_link_attempts (user_id);
create index account_link_attempts_expiry on account_link_attempts (expires_at);
