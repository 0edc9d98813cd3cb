-- What happened to one member, newest first; and what each day gave and took.
create index role_ledger_member on role_ledger (community_id, user_id, id);
create index role_ledger_days on role_ledger (community_id, at);
create index audit_entries_member on audit_entries (community_id, subject, id) where community_id is not null and subject is not null;
