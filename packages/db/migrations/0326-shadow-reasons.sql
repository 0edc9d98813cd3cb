-- Why the rules would have given or taken a role, without the addresses of wallets. Null for what an earlier version saw.
alter table shadow_differences add column reason jsonb;

-- What a role is called where the rule comes from, if no role here is that one: an admin then says which it is.
alter table rule_import_entries add column role_there text;
