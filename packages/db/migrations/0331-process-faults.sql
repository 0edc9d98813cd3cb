-- What each process met lately that an operator should know of: malformed entries of outside services, and shards that a
-- chat platform refuses for good. Processes of the version before write none.
alter table processes add column faults jsonb not null default '{}';
