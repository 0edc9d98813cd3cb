-- What wallets own and which roles that grants: rules, the watched chains, and the role changes with their history.

-- Rules.
create table community_rules (
  id text not null,
  community_id text not null references communities on delete cascade,
  role_id text not null,
  definition jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  visibility text not null default 'public' check (visibility in ('public', 'secret', 'hidden')),
  primary key (community_id, id)
);
comment on table community_rules is 'The rules of a community: which role is granted, and on which condition.';
comment on column community_rules.id is 'TPC#<contract>#<role>[#<chain>], with a number if several rules are alike.';
comment on column community_rules.definition is 'The rule in the API’s format, as it is evaluated.';
comment on column community_rules.visibility is 'What members see: public shows everything, secret that there is a condition, hidden nothing.';
create index community_rules_role on community_rules (community_id, role_id);
alter table community_rules enable row level security;
create policy tenant on community_rules
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));
create policy members on community_rules for select using (community_id = any ((select joined())::text[]));

create table community_rule_changes (
  id bigint generated always as identity primary key,
  community_id text not null references communities (id) on delete cascade,
  rule_id text not null,
  action text not null check (action in ('created', 'changed', 'removed')),
  changed_by text not null,
  changed_at timestamptz not null,
  before jsonb,
  after jsonb,
  check ((before is null) = (action = 'created')),
  check ((after is null) = (action = 'removed'))
);
comment on table community_rule_changes is 'The history of each rule, with its role, definition and visibility before and after. It outlives the rule.';
create index community_rule_changes_rule on community_rule_changes (community_id, rule_id, id desc);
create index community_rule_changes_person on community_rule_changes (changed_by);
alter table community_rule_changes enable row level security;
create policy tenant on community_rule_changes
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table retired_roles (
  community_id text not null references communities (id) on delete cascade,
  role_id text not null,
  since timestamptz not null,
  primary key (community_id, role_id)
);
comment on table retired_roles is 'Roles whose rule was deleted with the choice to remove them: members who got the role from Latchkey lose it, unless something else grants it.';
alter table retired_roles enable row level security;
create policy tenant on retired_roles
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table rule_health (
  community_id text not null,
  rule_id text not null,
  state text not null check (state in ('ok', 'degraded', 'undecidable', 'unknown')),
  cause text check ((cause is null) = (state = 'ok')),
  problems jsonb not null,
  reads integer not null,
  since timestamptz not null,
  checked_at timestamptz,
  due_at timestamptz not null,
  evaluated_at timestamptz,
  blocks jsonb not null,
  qualifying integer,
  unknown_members integer,
  unknown_since timestamptz,
  counted_members integer,
  is_count_whole boolean,
  counted_at timestamptz,
  count_due_at timestamptz not null,
  primary key (community_id, rule_id),
  foreign key (community_id, rule_id) references community_rules (community_id, id) on delete cascade
);
comment on table rule_health is 'Whether each rule can be evaluated here, since when, and how many members meet it.';
comment on column rule_health.state is 'undecidable: cannot be evaluated with these settings. degraded: something does not respond. unknown: not checked yet.';
comment on column rule_health.cause is 'What is wrong and where, the same for all affected rules: admins are notified once for each cause.';
comment on column rule_health.reads is 'How many reads a check of one member takes at most, with one wallet on each chain.';
comment on column rule_health.since is 'Since when the rule is in this state.';
comment on column rule_health.evaluated_at is 'When the rule was last fully evaluated.';
comment on column rule_health.blocks is 'The blocks that were read then, by chain.';
comment on column rule_health.is_count_whole is 'Whether every member was counted; in a very large community only some are.';
create index rule_health_due on rule_health (due_at);
create index rule_health_count_due on rule_health (count_due_at);
create index rule_health_states on rule_health (state);
create index rule_health_bad on rule_health (community_id, cause) where state in ('degraded', 'undecidable');
alter table rule_health enable row level security;
create policy tenant on rule_health
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table rule_drafts (
  id text primary key,
  community_id text not null references communities (id) on delete cascade,
  rule_id text,
  definition jsonb not null,
  visibility text not null check (visibility in ('public', 'secret', 'hidden')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on table rule_drafts is 'Rules that admins keep for later. They have no effect.';
comment on column rule_drafts.rule_id is 'The rule that the draft would change; null for a new one. The rule may be gone.';
create index rule_drafts_community on rule_drafts (community_id, created_at desc, id desc);
alter table rule_drafts enable row level security;
create policy tenant on rule_drafts
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

-- Only the system can read it. Rows are only inserted, so that concurrent changes never wait for each other.
create table rule_set_changes (
  id bigint generated always as identity primary key,
  community_id text not null,
  at timestamptz not null default clock_timestamp()
);
comment on table rule_set_changes is 'Communities whose rules or status changed in the last hours, so that the chain watcher only checks these.';
create index rule_set_changes_at on rule_set_changes (at);
alter table rule_set_changes enable row level security;

-- These run as the owner, since a tenant who changes a rule cannot access the table.
create function note_rule_set_changes() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into public.rule_set_changes (community_id) select distinct community_id from changed;
  return null;
end
$$;
revoke execute on function note_rule_set_changes() from public;
create trigger community_rules_note_added after insert on community_rules
  referencing new table as changed for each statement execute function note_rule_set_changes();
create trigger community_rules_note_changed after update on community_rules
  referencing new table as changed for each statement execute function note_rule_set_changes();
create trigger community_rules_note_removed after delete on community_rules
  referencing old table as changed for each statement execute function note_rule_set_changes();

create function note_status_change() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into public.rule_set_changes (community_id) values (new.id);
  return null;
end
$$;
revoke execute on function note_status_change() from public;
create trigger communities_note_status after update of status on communities
  for each row when (old.status is distinct from new.status) execute function note_status_change();

create table rule_assets (
  community_id text not null references communities on delete cascade,
  chain text not null,
  standard text not null,
  reference text not null,
  primary key (community_id, chain, standard, reference)
);
comment on table rule_assets is 'Which assets the rules of each community use, so that a transfer finds the affected communities.';
create index rule_assets_reference on rule_assets (chain, reference);

create table rule_indexes (
  community_id text primary key references communities on delete cascade,
  rules_digest text not null
);
comment on table rule_indexes is 'The state of the rules that rule_assets was built from.';

create table rule_imports (
  id text primary key,
  community_id text not null references communities (id) on delete cascade,
  source text not null check (source in ('original', 'guild', 'vulcan', 'matrica', 'sheet')),
  created_at timestamptz not null
);
comment on table rule_imports is 'Imports of rules from another service. No key of that service is stored.';
create index rule_imports_community on rule_imports (community_id, created_at desc, id desc);
alter table rule_imports enable row level security;
create policy tenant on rule_imports
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table rule_import_entries (
  import_id text not null references rule_imports (id) on delete cascade,
  community_id text not null references communities (id) on delete cascade,
  position integer not null,
  source_key text not null,
  name text not null,
  role_id text,
  visibility text not null check (visibility in ('public', 'secret', 'hidden')),
  definition jsonb,
  state text not null check (state in ('ready', 'unmapped', 'present', 'imported', 'refused')),
  problem text,
  notes text[] not null,
  rule_id text,
  role_there text,
  primary key (import_id, position)
);
comment on table rule_import_entries is 'The rules of an import, which wait for an admin to turn them on.';
comment on column rule_import_entries.source_key is 'The id of the rule in the other service.';
comment on column rule_import_entries.rule_id is 'The rule that it became, or that already existed.';
comment on column rule_import_entries.role_there is 'The name of the role in the other service, if no role here matches: an admin then chooses one.';
create index rule_import_entries_community on rule_import_entries (community_id);
alter table rule_import_entries enable row level security;
create policy tenant on rule_import_entries
  using (community_id = any ((select administered())::text[]))
  with check (community_id = any ((select administered())::text[]));

create table role_checks (
  id text primary key,
  owner_id text not null,
  client_id text,
  wallets jsonb not null,
  rules jsonb not null,
  callback_url text,
  answer jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table role_checks is 'Asynchronous role checks that were requested through the API, kept for a day.';
comment on column role_checks.client_id is 'The requesting application, whose webhook secret signs the callback; null for users.';
comment on column role_checks.wallets is 'The accounts to check, as of the time of the request.';
comment on column role_checks.answer is 'The result, with roles and errors; null until it is complete.';
create index role_checks_expiry on role_checks (expires_at);
alter table role_checks enable row level security;
create policy tenant on role_checks
  using (owner_id = (select current_tenant())) with check (owner_id = (select current_tenant()));

-- Holdings, and the chains that are watched for changes of them. These are public facts and belong to no tenant.
create table read_holdings (
  chain text not null,
  reference text not null,
  account text not null,
  variant text not null,
  answer jsonb not null,
  block_number bigint not null,
  block_hash text,
  read_at timestamptz not null,
  primary key (chain, reference, account, variant)
);
comment on table read_holdings is 'A cache of what accounts own, for assets whose transfers are watched.';
comment on column read_holdings.variant is 'What else the result depends on: standard, token ids, needs, details.';
create index read_holdings_block on read_holdings (chain, block_number);
create index read_holdings_age on read_holdings (read_at);

create table followed_chains (
  chain text primary key,
  number bigint not null,
  hash text not null,
  followed_at timestamptz not null
);
comment on table followed_chains is 'The last block that was processed of each chain, and when that was last known to be its newest.';

create table followed_blocks (
  chain text not null references followed_chains on delete cascade,
  number bigint not null,
  hash text not null,
  primary key (chain, number)
);
comment on table followed_blocks is 'The latest processed blocks, to notice a reorganization of the chain.';

create table followed_changes (
  chain text not null references followed_chains on delete cascade,
  number bigint not null,
  reference text not null,
  account text not null,
  primary key (chain, reference, account, number)
);
comment on table followed_changes is 'Whose holdings changed in those blocks, to read them again after a reorganization.';
create index followed_changes_number on followed_changes (chain, number);

create table followed_contracts (
  chain text not null references followed_chains on delete cascade,
  reference text not null,
  since_number bigint not null,
  primary key (chain, reference)
);
comment on table followed_contracts is 'Since which block a contract is watched: what was read before that may have changed unnoticed.';

create table evm_tokens (
  chain_id bigint not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  expected_standard text check (expected_standard in ('erc20', 'erc721', 'erc1155')),
  icon text,
  standard text check (standard in ('erc20', 'erc721', 'erc1155')),
  name text,
  symbol text,
  decimals integer check (decimals >= 0),
  added_at timestamptz not null,
  due_at timestamptz not null,
  primary key (chain_id, address)
);
comment on table evm_tokens is 'Token contracts that rules use or the operator lists, with their names and symbols.';
comment on column evm_tokens.expected_standard is 'The kind of contract according to a rule; what the contract itself reports takes precedence.';
comment on column evm_tokens.due_at is 'When the contract is read next.';
create index evm_tokens_due on evm_tokens (chain_id, due_at);
-- A rule adds a token contract; the system reads the contract's own data.
alter table evm_tokens enable row level security;
create policy named_by_rules on evm_tokens for insert
  with check ((icon, standard, name, symbol, decimals) is null);

create table hidden_evm_tokens (
  chain_id bigint not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  hidden_at timestamptz not null,
  primary key (chain_id, address)
);
comment on table hidden_evm_tokens is 'Well-known tokens that the operator removed from the list. One that a rule uses is listed anyway.';

create table collection_traits (
  chain_id bigint not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  traits jsonb check (jsonb_typeof(traits) = 'array'),
  due_at timestamptz not null,
  read_at timestamptz,
  primary key (chain_id, address)
);
comment on table collection_traits is 'The traits of NFT collections, summarized from the metadata of their tokens.';
comment on column collection_traits.traits is 'Null until they were read for the first time.';
comment on column collection_traits.due_at is 'When they are read next. Starting to read moves it forward, so that no other process reads them in the meantime.';
create index collection_traits_due on collection_traits (due_at);

create table nft_contract_metadata (
  chain_id bigint not null check (chain_id > 0),
  contract text not null check (contract ~ '^0x[0-9a-f]{40}$'),
  created_by_id text not null,
  content jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (chain_id, contract)
);
comment on table nft_contract_metadata is 'Metadata of NFT contracts whose tokenURI points to this server.';
alter table nft_contract_metadata enable row level security;
create policy tenant on nft_contract_metadata
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

create table nft_token_metadata (
  chain_id bigint not null,
  contract text not null,
  token_id numeric(78, 0) not null check (token_id >= 0),
  created_by_id text not null,
  content jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (chain_id, contract, token_id),
  foreign key (chain_id, contract) references nft_contract_metadata on delete cascade
);
comment on table nft_token_metadata is 'Metadata of the tokens of those contracts.';
alter table nft_token_metadata enable row level security;
create policy tenant on nft_token_metadata
  using (created_by_id = (select current_tenant())) with check (created_by_id = (select current_tenant()));

-- Only the system can access it.
create table nft_describers (
  chain_id bigint not null check (chain_id > 0),
  contract text not null check (contract ~ '^0x[0-9a-f]{40}$'),
  describer_id text not null,
  named_at timestamptz not null,
  primary key (chain_id, contract, describer_id)
);
comment on table nft_describers is 'Who may edit the metadata of an NFT contract without proof of owning it, because the operator allowed it.';
comment on column nft_describers.describer_id is 'The id of a user or of a client application.';
create index nft_describers_describer on nft_describers (describer_id);
alter table nft_describers enable row level security;
