-- A person can have several confirmed authenticator apps.
drop index totp_enrolments_confirmed;
create index totp_enrolments_confirmed on totp_enrolments (user_id) where state = 'confirmed';
