-- The permanent tokens by which moderators let the platform look after their subreddits.
create table reddit_tokens (
  community_id text primary key references communities on delete cascade,
  refresh_token sealed_secret not null,
  -- The account on Reddit that the token speaks for.
  reddit_user text not null,
  linked_by_id text not null,
  linked_at timestamptz not null
);
alter table reddit_tokens enable row level security;
alter table reddit_tokens force row level security;
create policy tenant on reddit_tokens using (administers(community_id)) with check (administers(community_id));
