-- What the user was shown and approved: the digest of the text, as hexadecimal digits. The signer compares it with the
-- digest of what it is about to sign.
alter table requests add column approved_digest text check (approved_digest ~ '^[0-9a-f]{64}$');
