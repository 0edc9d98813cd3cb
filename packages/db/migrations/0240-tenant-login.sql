-- Tenants' work runs under a login of its own. It owns nothing, so the policies hold it; the login that owns the tables is
-- the system, and passes them as their owner.

-- A process of the version before has one login for everything, and would pass the policies with its tenants too. One that
-- starts later refuses this database by itself.
do $$
begin
  if exists (select from processes where seen_at > now() - interval '15 seconds') then
    raise exception 'Stop every Latchkey process on this database first, and try again 15 seconds later: one of the version before would show every tenant the rows of all.';
  end if;
end
$$;

-- Which tenant a transaction works for is said by the server, with a proof that SQL cannot make: an HMAC-SHA256 under this
-- key over the transaction, a purpose and what is said. The pads are the two halves of HMAC (RFC 2104), already mixed with
-- the key. Only the owner of the tables reads them; whoever can, can read every row anyway.
create table tenant_login_key (
  id int primary key check (id = 1),
  inner_pad bytea not null check (length(inner_pad) = 64),
  outer_pad bytea not null check (length(outer_pad) = 64)
);

do $$
declare
  key bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
  inner_pad bytea := decode(repeat('36', 64), 'hex');
  outer_pad bytea := decode(repeat('5c', 64), 'hex');
begin
  for i in 0..31 loop
    inner_pad := set_byte(inner_pad, i, get_byte(key, i) # get_byte(inner_pad, i));
    outer_pad := set_byte(outer_pad, i, get_byte(key, i) # get_byte(outer_pad, i));
  end loop;
  insert into tenant_login_key values (1, inner_pad, outer_pad);
end
$$;

-- The functions below have bodies that are bound when they are made: no search path can lead them elsewhere.

-- What a proof is bound to: this transaction of this connection. A later transaction, also one that was begun by injected
-- SQL, has another start, since a transaction starts with the message that begins it.
create function tenant_challenge() returns text language sql stable parallel restricted
  return pg_backend_pid() || '/' || extract(epoch from transaction_timestamp());

create function is_proven(purpose text, said text, proof text) returns boolean
  language sql stable parallel restricted security definer
  return (
    select proof = encode(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(
      tenant_challenge() || '/' || purpose || '/' || said, 'UTF8'))), 'hex')
    from tenant_login_key k
  );

-- The tenant of this transaction: null unless the proof that stands before the name is right.
create function current_tenant() returns text
  language sql stable parallel restricted security definer
  return (
    select substr(s.said, 65)
    from tenant_login_key k, (select current_setting('latchkey.tenant', true) as said) as s
    where length(s.said) > 64 and left(s.said, 64) = encode(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(
      tenant_challenge() || '/tenant/' || substr(s.said, 65), 'UTF8'))), 'hex')
  );

-- The communities that the tenant looks after, and those it is a member of.
create function administered() returns text[]
  language sql stable parallel restricted security definer
  return array(select community_id from community_admins where user_id = current_tenant());

create function joined() returns text[]
  language sql stable parallel restricted security definer
  return array(select community_id from community_members where user_id = current_tenant() and left_at is null);

-- A policy asks once for each statement, not once for each row, and can use an index: hence `(select …)`.
create function asked_once(condition text) returns text language sql immutable return
  regexp_replace(
    regexp_replace(
      regexp_replace(condition, '\msees\((''''::text|[a-z_]+)\)', '(\1 = (select current_tenant()))', 'g'),
      '\madministers\(([a-z_]+)\)', '(\1 = any ((select administered())::text[]))', 'g'
    ),
    '\mbelongs\(([a-z_]+)\)', '(\1 = any ((select joined())::text[]))', 'g'
  );

drop policy operator on community_plans;
do $$
declare
  found record;
begin
  for found in
    select tablename, policyname, ' using (' || asked_once(qual) || ')' as visible,
      ' with check (' || asked_once(with_check) || ')' as writable
    from pg_policies where schemaname = current_schema()
  loop
    execute format('alter policy %I on %I', found.policyname, found.tablename)
      || coalesce(found.visible, '') || coalesce(found.writable, '');
  end loop;
  for found in
    select relname from pg_class where relforcerowsecurity and relnamespace = current_schema()::regnamespace
  loop
    execute format('alter table %I no force row level security', found.relname);
  end loop;
end
$$;

drop function asked_once(text);
-- Whatever still named these would be asked for each row, and would not know the tenant.
drop function administers(text);
drop function belongs(text);
drop function sees(text);
