-- Whoever deletes a plan looks for plans that undo it: without an index that reads all plans for each.
-- safe: plans are kept for 90 days, and reading them once takes seconds
create index change_sets_undoes on change_sets (undoes) where undoes is not null;
