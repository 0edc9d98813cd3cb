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

-- The ledger is only ever added to, with one exception: the name of somebody who is forgotten, and the accounts that were
-- read for that person, give way to a name drawn by chance. What was done, when, where and by which plan stays.
create function refuse_ledger_rewrite() returns trigger language plpgsql as $$
begin
  if starts_with(new.user_id, 'ERASED#USER#') and not starts_with(old.user_id, 'ERASED#USER#')
    and (new.id, new.community_id, new.role_id, new.action, new.at, new.plan_id, new.is_automatic, new.blocks)
      = (old.id, old.community_id, old.role_id, old.action, old.at, old.plan_id, old.is_automatic, old.blocks)
    and new.reason - 'rules' = old.reason - 'rules'
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
