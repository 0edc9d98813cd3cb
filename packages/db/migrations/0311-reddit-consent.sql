-- Tokens that Reddit gave for a consent in the console are revoked when nothing uses them any more. Pasted ones are their
-- moderator's own.
alter table reddit_tokens add column by_consent boolean not null default false;

-- Tokens of moderators that no subreddit uses: one that waits until its moderator chooses the subreddit, or is to be revoked.
create table reddit_grants (
  -- What the token was sealed for. Tokens of subreddits come here as they were.
  place text not null,
  id text not null default gen_random_uuid()::text,
  refresh_token sealed_secret not null,
  -- Who gave it and may use it; null once it is only to be revoked.
  user_id text,
  -- When it is revoked, or tried again.
  due_at timestamptz not null,
  tries integer not null default 0,
  primary key (place, id)
);
create index reddit_grants_user on reddit_grants (user_id) where user_id is not null;
create index reddit_grants_due on reddit_grants (due_at);

-- Whichever way a subreddit loses its token: unlinked, linked anew, deleted with its community, or its moderator erased.
-- Runs as the owner: a tenant does not reach the table.
create function keep_reddit_token_to_revoke() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
begin
  insert into public.reddit_grants (place, refresh_token, due_at)
    values ('reddit_tokens.refresh_token:' || old.community_id, old.refresh_token, 'epoch');
  return null;
end
$$;
revoke execute on function keep_reddit_token_to_revoke() from public;

create trigger reddit_tokens_revoke after delete on reddit_tokens
  for each row when (old.by_consent) execute function keep_reddit_token_to_revoke();
