-- The ledger and the audit log of a community are read newest first, a page at a time.
create index role_ledger_newest on role_ledger (community_id, id);
create index audit_entries_community on audit_entries (community_id, id) where community_id is not null;
