-- Every sweep updates each member twice, in columns that no index has. With some room in each page most of these updates leave
-- the indexes alone; and dead rows of a fifth of a table with millions of rows are too many to wait for.
alter table community_members set (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
-- A queue: every check leaves a dead row behind.
alter table reconcile_queue set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
