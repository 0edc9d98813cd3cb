-- Services that the other areas use: keys, the audit log, log settings, plans, spending, webhooks and treasuries.

create table signing_keys (
  kid text primary key,
  purpose text not null check (purpose in ('jwt', 'action-ecdsa', 'action-ed25519')),
  public_key text not null,
  private_key sealed_secret not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
comment on table signing_keys is 'Key pairs that sign for the platform. Public keys are published; private keys are sealed.';
create unique index signing_keys_current on signing_keys (purpose) where retired_at is null;

create table master_key_check (
  id int primary key check (id = 1),
  sealed sealed_secret not null
);
comment on table master_key_check is 'One row that only the right master key can decrypt, so that a wrong one is detected at start.';

create table kept_secrets (
  name text not null,
  version integer not null check (version > 0),
  secret sealed_secret not null,
  created_at timestamptz not null,
  primary key (name, version)
);
comment on table kept_secrets is 'Secrets that the server generates and keeps forever, such as keys whose signatures others rely on.';
comment on column kept_secrets.version is 'The highest one is in use; the others are kept, so that what they signed can still be verified.';
alter table kept_secrets enable row level security;
create policy tenant on kept_secrets
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));

create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  who text not null,
  through text not null,
  action text not null,
  subject text,
  target text,
  community_id text,
  reason text,
  request_id text,
  from_address text,
  details jsonb not null
);
comment on table audit_entries is 'The audit log: actor, action, subject, channel and reason. It is kept forever and contains no secrets.';
comment on column audit_entries.who is 'A user, an application, an admin key or the command line.';
comment on column audit_entries.through is 'The interface that was used: api, page, chat or command-line.';
comment on column audit_entries.subject is 'The account that the entry is about.';
comment on column audit_entries.target is 'The id of what was changed, such as a key, an application or a plan.';
create index audit_entries_time on audit_entries (at);
create index audit_entries_who on audit_entries (who, at);
create index audit_entries_subject on audit_entries (subject, at);
-- The log of a community is read newest first, a page at a time.
create index audit_entries_community on audit_entries (community_id, id) where community_id is not null;
create index audit_entries_member on audit_entries (community_id, subject, id) where community_id is not null and subject is not null;

-- Erasing a user has to find every entry that mentions them. An entry that contains a name has all words of that name,
-- and sets of words can be indexed. Letters and digits are ASCII, so that words end where the search for whole names
-- sees a boundary too.
create function words_in(texts text) returns text[] language sql immutable strict parallel safe
  return array_remove(regexp_split_to_array(texts collate "C", '[^A-Za-z0-9_]+'), '');
create function audit_words(reason text, details jsonb) returns text[] language sql immutable parallel safe
  return words_in(coalesce(reason, '') || ' ' || details::text);
create index audit_entries_words on audit_entries using gin (audit_words(reason, details));
create index audit_entries_target on audit_entries (target) where target is not null;

-- A tenant's transaction adds entries under its own name; only the system reads them.
alter table audit_entries enable row level security;
create policy adding on audit_entries for insert with check (who = (select current_tenant()));
create policy reading on audit_entries for select using ('' = (select current_tenant()));
create policy forgetting on audit_entries for update
  using ('' = (select current_tenant())) with check ('' = (select current_tenant()));

-- Entries never change, except that a pseudonym replaces an erased user.
create function keep_audit_entries() returns trigger language plpgsql as $$
declare
  personal constant text[] := array['who', 'subject', 'target', 'reason', 'from_address', 'details'];
begin
  if tg_op = 'UPDATE' and current_setting('latchkey.forgets_in_audit', true) = 'on' then
    if to_jsonb(new) - personal = to_jsonb(old) - personal then
      return new;
    end if;
  end if;
  raise exception 'Audit entries are never changed or deleted.' using errcode = 'restrict_violation';
end $$;
create trigger unchanged before update on audit_entries for each row execute function keep_audit_entries();
create trigger kept before delete or truncate on audit_entries
  for each statement execute function keep_audit_entries();
revoke update, delete, truncate on audit_entries from public;

-- Replaces a user, and the wallets that identify the user, with `stand_in`.
create function forget_in_audit(person text, wallets text[], stand_in text) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  name text;
  pattern text;
begin
  perform set_config('latchkey.forgets_in_audit', 'on', true);
  update audit_entries set from_address = null where who = person and from_address is not null;
  foreach name in array person || wallets loop
    -- As a whole word: another id may start with it.
    pattern := '(?<![[:alnum:]_])' || regexp_replace(name, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]_])';
    update audit_entries set
      who = case when who = name then stand_in else who end,
      subject = case when subject = name then stand_in else subject end,
      target = case when target = name then stand_in else target end,
      reason = regexp_replace(reason, pattern, stand_in, 'g'),
      details = replace(details::text, to_json(name)::text, to_json(stand_in)::text)::jsonb
    where who = name or subject = name or target = name
      or (audit_words(reason, details) @> words_in(name) and strpos(reason, name) > 0)
      or (audit_words(reason, details) @> words_in(to_json(name)::text) and strpos(details::text, to_json(name)::text) > 0);
  end loop;
  perform set_config('latchkey.forgets_in_audit', 'off', true);
end $$;
revoke execute on function forget_in_audit(text, text[], text) from public;

create table log_setting_changes (
  version bigint generated always as identity primary key,
  requests jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null
);
comment on table log_setting_changes is 'Changes of log settings, in order, so that a process that was disconnected can catch up.';

-- Subscription plans belong to no tenant: every tenant may read them.
create table plans (
  id text primary key check (id ~ '^[A-Za-z0-9-]{1,64}$'),
  audience text not null check (audience in ('organization', 'community')),
  name text not null,
  price_cents int not null check (price_cents >= 0),
  billing_period text not null check (billing_period in ('monthly', 'yearly')),
  min_buy_months int check (min_buy_months > 0),
  max_api_keys int not null default 3 check (max_api_keys >= 0),
  max_mini_apps int not null default 3 check (max_mini_apps >= 0),
  -- Every request is counted against these, so a limit that cannot be enforced is rejected here.
  rate_limits jsonb not null default '[]' check (
    jsonb_typeof(rate_limits) = 'array'
    and not jsonb_path_exists(
      rate_limits,
      '$[*] ? (!(exists(@.points ? (@ > 0)) && exists(@.duration ? (@ > 0)) && exists(@.key ? (@ starts with "")) && exists(@.label ? (@ starts with "")) && exists(@.scopes ? (@ starts with ""))))'
    )
  ),
  features jsonb not null default '[]' check (jsonb_typeof(features) = 'array'),
  description text,
  allowed_scopes text[],
  disallowed_scopes text[] not null default '{}',
  lock_config jsonb check (jsonb_typeof(lock_config) = 'object'),
  stripe_config jsonb check (jsonb_typeof(stripe_config) = 'object'),
  created_at timestamptz not null,
  check_period_seconds integer check (check_period_seconds > 0),
  currency text not null default 'usd' check (currency ~ '^[a-z]{3}$'),
  other_prices jsonb not null default '[]' check (
    jsonb_typeof(other_prices) = 'array'
    and not jsonb_path_exists(
      other_prices,
      '$[*] ? (!((@.billingPeriod == "monthly" || @.billingPeriod == "yearly") && exists(@.amount ? (@ > 0)) && exists(@.currency ? (@ starts with ""))))'
    )
  ),
  offered_until timestamptz
);
comment on table plans is 'Subscription plans: what an organization or a community pays, and what it may use.';
comment on column plans.price_cents is 'The price that is shown first, in the smallest unit of its currency.';
comment on column plans.allowed_scopes is 'Null allows every scope.';
comment on column plans.lock_config is 'The Unlock Protocol locks whose keys buy this plan.';
comment on column plans.check_period_seconds is 'How often the members of a community on this plan are re-checked.';
comment on column plans.other_prices is 'The prices for other billing periods and currencies, in the smallest unit of each.';
comment on column plans.offered_until is 'Null if it is offered indefinitely.';

insert into plans
  (id, audience, name, price_cents, billing_period, min_buy_months, max_api_keys, max_mini_apps, rate_limits, description, created_at)
values
  ('free', 'organization', 'Free', 0, 'monthly', null, 5, 5,
   '[{"key": "second", "points": 10, "duration": 1, "label": "10 requests per second", "scopes": "$all"},
     {"key": "month", "points": 10000, "duration": 2592000, "label": "10 000 requests in 30 days", "scopes": "$all"}]',
   'For trying things out and for small projects.', '2026-01-01T00:00:00Z'),
  ('paid', 'organization', 'Paid', 0, 'monthly', 1, 500, 500,
   '[{"key": "second", "points": 15, "duration": 1, "label": "15 requests per second", "scopes": "$all"},
     {"key": "month", "points": 100000, "duration": 2592000, "label": "100 000 requests in 30 days", "scopes": "$all"}]',
   'For products with users of their own. The operator sets its price.', '2026-01-01T00:00:00Z');

insert into plans
  (id, audience, name, price_cents, billing_period, features, description, check_period_seconds, created_at)
values
  ('starter', 'community', 'Starter', 0, 'monthly', '[]',
   'What every community begins with. Members are re-checked every day, or as often as its admins choose.', 86400,
   '2026-01-01T00:00:00Z'),
  ('community', 'community', 'Community', 0, 'monthly',
   '[{"identifier": "ON_DEMAND_BALANCE_CHECK"}, {"identifier": "TWITTER_TGR"}, {"identifier": "MINIAPP"}]',
   'Members are re-checked every day, or as often as its admins choose. The operator sets its price.', 86400,
   '2026-01-01T00:00:00Z');

create table spendings (
  coin text not null,
  reference text not null,
  caller_id text not null,
  amount numeric(78, 0) not null check (amount >= 0),
  created_at timestamptz not null,
  primary key (coin, reference)
);
comment on table spendings is 'What this server has paid or will pay for others, written in the transaction that decides to send it.';
comment on column spendings.amount is 'In the smallest unit of the coin.';
create index spendings_by_time on spendings (coin, created_at);
create index spendings_by_caller on spendings (caller_id);
alter table spendings enable row level security;
create policy tenant on spendings
  using (caller_id = (select current_tenant())) with check (caller_id = (select current_tenant()));

create table webhook_endpoints (
  client_id text primary key,
  owner_id text not null,
  url text,
  secret sealed_secret not null,
  subscribe_events text[] not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text,
  retired_at timestamptz,
  old_secret sealed_secret,
  old_secret_ends_at timestamptz,
  tested_at timestamptz,
  check (url is not null or subscribe_events = '{}'),
  check ((old_secret is null) = (old_secret_ends_at is null))
);
comment on table webhook_endpoints is 'Where a client application receives events, and the secret that signs calls to it. It outlives its application until the last events are delivered.';
comment on column webhook_endpoints.retired_at is 'When the application was deleted: pending events are still delivered, and no new ones are added.';
comment on column webhook_endpoints.old_secret is 'While a secret is being replaced, messages are also signed with the old one.';
create index webhook_endpoints_by_owner on webhook_endpoints (owner_id);
create index webhook_endpoints_retired on webhook_endpoints (retired_at) where retired_at is not null;
alter table webhook_endpoints enable row level security;
create policy tenant on webhook_endpoints
  using (owner_id = (select current_tenant())) with check (owner_id = (select current_tenant()));

create table events (
  id text primary key,
  type text not null,
  owner_id text not null,
  client_id text,
  body text not null,
  created_at timestamptz not null
);
comment on table events is 'The outbox of webhooks: an event is written in the transaction of the change that it reports.';
comment on column events.client_id is 'The application that the event is about; null if it concerns every application of the owner.';
comment on column events.body is 'The exact text that is signed and sent, the same on every attempt.';
create index events_age on events (created_at);
alter table events enable row level security;
create policy tenant on events
  using (owner_id = (select current_tenant())) with check (owner_id = (select current_tenant()));

create table webhook_deliveries (
  id text primary key,
  event_id text not null references events (id) on delete cascade,
  client_id text not null,
  owner_id text not null,
  round integer not null,
  attempts integer not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'disabled')),
  last_status integer,
  last_reason text,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null,
  unique (event_id, client_id)
);
comment on table webhook_deliveries is 'One row per event and receiver: the state of the delivery, and the guard against sending twice.';
comment on column webhook_deliveries.round is 'Increases with each requested redelivery; jobs of an earlier round then do nothing.';
create index webhook_deliveries_by_client on webhook_deliveries (client_id, created_at desc, id desc);
create index webhook_deliveries_unsent on webhook_deliveries (client_id, created_at, id)
  where status in ('failed', 'disabled');
alter table webhook_deliveries enable row level security;
create policy tenant on webhook_deliveries
  using (owner_id = (select current_tenant())) with check (owner_id = (select current_tenant()));

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries (id) on delete cascade,
  owner_id text not null,
  round integer not null,
  attempt integer not null,
  status integer,
  reason text not null,
  took_ms integer not null check (took_ms >= 0),
  attempted_at timestamptz not null,
  primary key (delivery_id, round, attempt)
);
comment on table webhook_attempts is 'Every attempt to deliver an event, for developers who debug their webhook.';
create index webhook_attempts_owner on webhook_attempts (owner_id);
alter table webhook_attempts enable row level security;
create policy tenant on webhook_attempts using (owner_id = (select current_tenant()));

-- Only the system can access treasuries.
create table treasuries (
  kind text not null check (kind in ('community', 'organization')),
  holder_id text not null,
  safe_address text not null unique,
  owner_address text not null,
  chain_id bigint not null,
  handed_over_to text,
  created_at timestamptz not null,
  primary key (kind, holder_id)
);
comment on table treasuries is 'Wallets of communities and organizations, as Safes on a chain.';
comment on column treasuries.handed_over_to is 'The wallet that the Safe was handed over to.';
create index treasuries_by_address on treasuries (lower(safe_address));
alter table treasuries enable row level security;

create table treasury_actions (
  id text primary key,
  safe_address text not null references treasuries (safe_address) on delete cascade,
  kind text not null check (kind in ('deployment', 'transfer', 'handoff')),
  state text not null check (state in ('proposed', 'waiting', 'sent', 'done', 'failed')),
  requested_by_id text not null,
  content jsonb not null,
  call jsonb,
  nonce numeric(78, 0),
  typed_data text,
  signature text,
  tx_hashes text[] not null,
  tx_hash text,
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz
);
comment on table treasury_actions is 'Deployments of Safes and transfers of their funds, from the proposal to the mined transaction.';
comment on column treasury_actions.content is 'What it moves, in a readable form.';
comment on column treasury_actions.call is 'The call of the Safe; null for a deployment.';
comment on column treasury_actions.nonce is 'The nonce of the Safe; null for a deployment.';
comment on column treasury_actions.typed_data is 'What the owner signed.';
comment on column treasury_actions.tx_hashes is 'Every transaction that was sent for it, each stored before it is sent.';
comment on column treasury_actions.tx_hash is 'The transaction that was mined.';
comment on column treasury_actions.problem is 'Why it does not continue, as a message for the owner.';
comment on column treasury_actions.expires_at is 'Until when a proposed action can be approved.';
create index treasury_actions_by_safe on treasury_actions (safe_address, created_at desc, id desc);
create index treasury_actions_by_asker on treasury_actions (requested_by_id);
-- One deployment and one transfer at a time.
create unique index treasury_actions_open on treasury_actions (safe_address, (kind = 'deployment'))
  where state in ('waiting', 'sent');
alter table treasury_actions enable row level security;

create table treasury_payers (
  id int primary key check (id = 1),
  private_key sealed_secret not null,
  created_at timestamptz not null
);
comment on table treasury_payers is 'The account that pays transaction fees, if the operator does not configure one.';
alter table treasury_payers enable row level security;
