-- Wallets come back as they were linked: the chain that was named, and the address as it was written there. Null for what
-- was linked before, and for addresses that were written in the one spelling that is stored.
alter table wallet_connections
  add column linked_chain text,
  add column shown_address text;
alter table wallet_link_challenges add column shown_address text;
