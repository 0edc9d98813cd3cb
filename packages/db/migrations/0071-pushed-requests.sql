-- Authorization requests that applications push before they send the user (RFC 9126).

-- safe: the new check accepts every kind that the old one does.
alter table oauth_artifacts drop constraint oauth_artifacts_kind_check;
-- safe: as above; the rows are short-lived and few.
alter table oauth_artifacts add constraint oauth_artifacts_kind_check
  check (kind in ('session', 'interaction', 'code', 'refresh-token', 'pushed-request'));
