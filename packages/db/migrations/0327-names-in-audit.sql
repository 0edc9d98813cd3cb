-- Forgetting a person looked through the texts of the whole audit log. The words of a text are a set that has an index: an entry
-- that names somebody has all the words of the name. Letters and digits are those of ASCII, so that a boundary between words that
-- the search for whole names knows is one here too.
create function words_in(texts text) returns text[] language sql immutable strict parallel safe
  return array_remove(regexp_split_to_array(texts collate "C", '[^A-Za-z0-9_]+'), '');

create function audit_words(reason text, details jsonb) returns text[] language sql immutable parallel safe
  return words_in(coalesce(reason, '') || ' ' || details::text);

-- safe: whoever adds to the log waits while it is built, and nobody else; 100,000 entries took 9 seconds on a busy machine.
create index audit_entries_words on audit_entries using gin (audit_words(reason, details));
-- safe: the same, and faster.
create index audit_entries_target on audit_entries (target) where target is not null;

-- Does what it did before, to the rows that the indexes find.
create or replace function forget_in_audit(person text, wallets text[], stand_in text) returns void
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
    where who = name or subject = name or target = name
      or (audit_words(reason, details) @> words_in(name) and strpos(reason, name) > 0)
      or (audit_words(reason, details) @> words_in(to_json(name)::text) and strpos(details::text, to_json(name)::text) > 0);
  end loop;
  perform set_config('latchkey.forgets_in_audit', 'off', true);
end $$;
