-- Keeps a community from being removed until the transaction ends, and answers its id, or no row when there is none.
-- Whoever changes a row of a community and then adds another asks for this first: a removal waits for the changed row,
-- and the added row waits for the removal.
create function hold_community(wanted text) returns setof text language sql volatile
begin atomic
  select id from communities where id = wanted for key share;
end;
