-- Accounts that are being forgotten: what names them, until the last of it is gone.
create table account_erasures (
  user_id text primary key,
  -- The wallets and applications of the account, and what stands for it in what is kept.
  content sealed_secret not null,
  requested_at timestamptz not null
);
alter table account_erasures enable row level security;
alter table account_erasures force row level security;
create policy tenant on account_erasures using (sees(user_id)) with check (sees(user_id));

-- A reason for a role without the accounts that were read for it: which rules were decided, and how.
create function without_accounts(reason jsonb) returns jsonb language sql immutable parallel safe
return case
  when jsonb_typeof(reason -> 'rules') = 'array' then reason || jsonb_build_object('rules', coalesce(
    (select jsonb_agg(jsonb_build_object('id', r -> 'id', 'truth', r -> 'truth'))
     from jsonb_array_elements(reason -> 'rules') as r),
    '[]'
  ))
  else reason
end;

-- The ledger is only ever added to, with two exceptions: the accounts that were read for a person can be left out, and the
-- name of somebody who is forgotten gives way to one drawn by chance. What was done, when, where and by which plan stays.
create function refuse_ledger_rewrite() returns trigger language plpgsql as $$
begin
  if (new.id, new.community_id, new.role_id, new.action, new.at, new.plan_id, new.is_automatic, new.blocks)
      = (old.id, old.community_id, old.role_id, old.action, old.at, old.plan_id, old.is_automatic, old.blocks)
    and new.reason in (old.reason, without_accounts(old.reason))
    and (new.user_id = old.user_id
      or starts_with(new.user_id, 'ERASED#USER#') and not starts_with(old.user_id, 'ERASED#USER#'))
  then
    return new;
  end if;
  raise exception 'The role ledger is only ever added to.';
end
$$;
drop trigger role_ledger_append_only on role_ledger;
create trigger role_ledger_append_only before delete or truncate on role_ledger
  for each statement execute function refuse_ledger_change();
create trigger role_ledger_never_rewritten before update on role_ledger
  for each row execute function refuse_ledger_rewrite();
create index role_ledger_user on role_ledger (user_id);
