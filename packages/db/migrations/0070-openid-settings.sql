-- OpenID Connect: RS256 keys beside ES256, and what an application sets about its sign-ins.

-- safe: the new check accepts every value that the old one does, and the table has a handful of rows.
alter table signing_keys drop constraint signing_keys_purpose_check;
-- safe: the table has a handful of rows, so the scan takes no time.
alter table signing_keys add constraint signing_keys_purpose_check
  check (purpose in ('jwt', 'jwt-rs256', 'action-ecdsa', 'action-ed25519'));

alter table client_apps add column oauth_settings jsonb not null default '{}';
comment on column client_apps.oauth_settings is 'Client metadata by the names of RFC 7591 that the other columns do not hold.';
