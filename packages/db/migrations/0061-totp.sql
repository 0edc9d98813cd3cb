-- Authenticator apps. A retired row has lost its secret and stays a while, so that its id is not started anew.
create table totp_enrolments (
  user_id text not null,
  request_id text not null check (request_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  state text not null check (state in ('pending', 'confirmed', 'retired')),
  secret sealed_secret,
  -- The time steps whose code was accepted and could still be sent again.
  used_steps int[] not null,
  created_at timestamptz not null,
  -- For a pending row, the end of the time to confirm it; for a retired row, when it was retired.
  expires_at timestamptz not null,
  primary key (user_id, request_id),
  check ((state = 'retired') = (secret is null))
);
create unique index totp_enrolments_confirmed on totp_enrolments (user_id) where state = 'confirmed';
create index totp_enrolments_expiry on totp_enrolments (expires_at) where state <> 'confirmed';

alter table totp_enrolments enable row level security;
alter table totp_enrolments force row level security;
create policy tenant on totp_enrolments using (sees(user_id)) with check (sees(user_id));

-- One row per user: the lock that everything about the user's codes is done under, and the count of wrong tries.
create table totp_guards (
  user_id text primary key,
  wrong_tries int not null,
  locked_until timestamptz
);

alter table totp_guards enable row level security;
alter table totp_guards force row level security;
create policy tenant on totp_guards using (sees(user_id)) with check (sees(user_id));
