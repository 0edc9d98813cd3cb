-- Applications that registered themselves (RFC 7591).

alter table client_apps add column registration_token_hash hashed_secret;
comment on column client_apps.registration_token_hash is 'What manages the registration (RFC 7592). Null unless the application registered itself.';
-- safe: the table has a row for each application, and none matches yet.
create index client_apps_registered on client_apps (id) where registration_token_hash is not null;
