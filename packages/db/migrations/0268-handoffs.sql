-- Steps that a person carries on in another browser, such as a wallet's own: for ten minutes at most, each for one proof.
create table handoffs (
  -- The ticket stands in the link. It can do nothing but prove a wallet.
  ticket_hash hashed_secret primary key,
  -- The key stays in the browser that began, which alone can see what came and accept it.
  key_hash hashed_secret not null unique,
  purpose text not null check (purpose in ('link', 'sign-in')),
  -- Who began it; nobody yet where somebody is about to sign in.
  user_id text,
  -- Who is told, what was proven, and the code that the other browser shows.
  content sealed_secret not null,
  -- The newest message that was written for it; only that one counts, once.
  challenge_hash hashed_secret,
  opened_at timestamptz,
  proven_at timestamptz,
  wrong_codes integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((purpose = 'link') = (user_id is not null))
);
create index hand_overs_user on handoffs (user_id) where user_id is not null;
create index hand_overs_expiry on handoffs (expires_at);
