-- Uses of power, for good: who did what to whom, through what, and why. Nothing in here is a secret.
create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  -- A user, an application or an admin key, or the command line.
  who text not null,
  through text not null,
  action text not null,
  -- The account that it is about.
  subject text,
  -- What it was done to: the id of a key, an application, a plan.
  target text,
  community_id text,
  reason text,
  request_id text,
  from_address text,
  details jsonb not null
);
create index audit_entries_time on audit_entries (at);
create index audit_entries_who on audit_entries (who, at);
create index audit_entries_subject on audit_entries (subject, at);

-- A tenant's transaction adds entries in its own name; only work for no single tenant reads them.
alter table audit_entries enable row level security;
alter table audit_entries force row level security;
create policy adding on audit_entries for insert with check (sees(who));
create policy reading on audit_entries for select using (sees(''));
create policy forgetting on audit_entries for update using (sees('')) with check (sees(''));

-- What is written stays. The one exception puts a pseudonym in the place of somebody who is forgotten.
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

-- Puts `stand_in` in the place of a person and of the wallets that name the person.
create function forget_in_audit(person text, wallets text[], stand_in text) returns void
  language plpgsql set search_path = public, pg_temp as $$
declare
  name text;
  pattern text;
begin
  perform set_config('latchkey.forgets_in_audit', 'on', true);
  update audit_entries set from_address = null where who = person and from_address is not null;
  foreach name in array person || wallets loop
    -- As a whole word: the id of another may begin with it.
    pattern := '(?<![[:alnum:]_])' || regexp_replace(name, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]_])';
    update audit_entries set
      who = case when who = name then stand_in else who end,
      subject = case when subject = name then stand_in else subject end,
      target = case when target = name then stand_in else target end,
      reason = regexp_replace(reason, pattern, stand_in, 'g'),
      details = replace(details::text, to_json(name)::text, to_json(stand_in)::text)::jsonb
    where who = name or subject = name or target = name or strpos(reason, name) > 0
      or strpos(details::text, to_json(name)::text) > 0;
  end loop;
  perform set_config('latchkey.forgets_in_audit', 'off', true);
end $$;
revoke execute on function forget_in_audit(text, text[], text) from public;
