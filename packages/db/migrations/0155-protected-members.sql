-- Admins of a Telegram chat: nothing is planned that no bot could do to them. Null until a look at the platform tells.
alter table community_members add column is_protected boolean;
