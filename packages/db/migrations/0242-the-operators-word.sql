-- Which applications may come in, and with which scopes, is the operator's to say. A row policy does not hold a tenant to
-- that in its own row, and an application with every scope reads through the API what its owner cannot read here.
create function refuse_own_approval() returns trigger language plpgsql as $$
begin
  raise insufficient_privilege using message = 'Only the operator decides over applications.';
end
$$;

create trigger client_apps_begin_pending before insert on client_apps for each row
  when (row_security_active('client_apps'::regclass) and (new.status <> 'PENDING' or new.allowed_scopes <> '{}'))
  execute function refuse_own_approval();
create trigger client_apps_stay_as_decided before update on client_apps for each row
  when (
    row_security_active('client_apps'::regclass)
    and (new.status, new.allowed_scopes, new.disallowed_scopes)
      is distinct from (old.status, old.allowed_scopes, old.disallowed_scopes)
  )
  execute function refuse_own_approval();

create trigger mini_apps_begin_pending before insert on mini_apps for each row
  when (row_security_active('mini_apps'::regclass) and new.status <> 'PENDING')
  execute function refuse_own_approval();
create trigger mini_apps_stay_as_decided before update on mini_apps for each row
  when (row_security_active('mini_apps'::regclass) and new.status is distinct from old.status)
  execute function refuse_own_approval();
