-- A challenge whose answer approves one thing instead of signing in, and what it is.
alter table webauthn_challenges add column bound_to text;
alter table webauthn_sign_ins add column bound_to text;
