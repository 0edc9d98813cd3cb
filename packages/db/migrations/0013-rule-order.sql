-- The order of a community's rules, once an admin has set it.

alter table community_rules add column position integer;
comment on column community_rules.position is 'Where the rule stands among the rules of its community; null for rules whose order was never set. They come last, oldest first.';
