-- A stop holds for one role of one member, for a role, for a member, or for everything: '*' stands for every one of them.
-- It stays while its cause is tried again, so that it can say since when it holds.
alter table role_circuit_breakers
  add column user_id text not null default '*',
  add column fault text not null default 'refused' check (
    fault in ('missing', 'managed', 'everyone', 'above-bot', 'ruling', 'permission', 'no-access', 'refused')
  ),
  -- The next write may try it again; a refusal closes it anew, a success ends it.
  add column is_on_trial boolean not null default false;
alter table role_circuit_breakers drop constraint role_stops_pkey;
alter table role_circuit_breakers add primary key (community_id, role_id, user_id);
