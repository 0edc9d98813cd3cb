-- Notices of joins around the gate of a Telegram chat, and the choice to revoke misused invitations of the bot.
-- safe: the new constraint allows everything that the old one did
alter table admin_notices drop constraint admin_notices_kind_check;
-- safe: every row satisfied the narrower constraint, so none has to be read
alter table admin_notices add constraint admin_notices_kind_check check (
  kind in (
    'held-change-set', 'blocked-role', 'broken-setup', 'large-change', 'rule-health', 'manual-changes', 'back-doors',
    'gate-bypass'
  )
) not valid;

create table gate_settings (
  community_id text primary key references communities on delete cascade,
  revokes_misused boolean not null
);
comment on table gate_settings is 'What admins chose for the gate of a Telegram chat. Without a row, the defaults apply.';
comment on column gate_settings.revokes_misused is 'Whether the bot revokes its one-time invitations that another person used. Off by default.';

alter table revoked_ways add column by_bot boolean not null default false;
comment on column revoked_ways.by_bot is 'Whether the bot revoked the link by itself, as admins chose.';
