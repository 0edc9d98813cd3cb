-- Communities whose rules or status changed in the last hours, so that following chains looks at these instead of at all.
-- Only ever inserted into by those who change something, so that they never wait for each other.
create table rule_set_changes (
  id bigint generated always as identity primary key,
  community_id text not null,
  at timestamptz not null default clock_timestamp()
);
create index rule_set_changes_at on rule_set_changes (at);
-- The system's alone.
alter table rule_set_changes enable row level security;

-- These run as the owner: a tenant who changes a rule does not reach the table.
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
