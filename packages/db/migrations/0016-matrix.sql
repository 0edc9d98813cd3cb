-- safe: the new constraint allows everything that the old one did
alter table communities drop constraint communities_platform_check;
-- safe: every row satisfied the narrower constraint, so none has to be read
alter table communities add constraint communities_platform_check
  check (platform in ('discord', 'telegram', 'reddit', 'matrix')) not valid;
-- safe: the new constraint allows everything that the old one did
alter table platform_logins drop constraint platform_logins_method_check;
-- safe: every row satisfied the narrower constraint, so none has to be read
alter table platform_logins add constraint platform_logins_method_check
  check (method in ('discord', 'telegram', 'reddit', 'matrix')) not valid;
