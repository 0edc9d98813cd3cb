-- Members of a community are listed by name and searched by any part of it, a page at a time. Whoever has no name comes last.
-- Names are cut, since an entry of an index must be short. Bytes decide the order, so that every server sorts alike.
alter table community_members
  add column search_name text collate "C" not null
  generated always as (coalesce(nullif(lower(left(user_name, 200)), ''), chr(1114111))) stored;
create index community_members_name on community_members (community_id, search_name, user_id)
  where left_at is null and not is_bot;
