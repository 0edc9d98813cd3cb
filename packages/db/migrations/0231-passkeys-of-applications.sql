-- The application whose token registered a passkey. It can sign in with such a passkey as far as it may, but what it holds
-- itself proves no person. Null: registered by the person, or before this was written down.
alter table webauthn_credentials add column client_id text;
