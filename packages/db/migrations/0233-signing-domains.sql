-- The EIP-712 domains that the operator lets an application have typed data signed for.
create table signing_domains (
  client_id text not null references client_apps (id) on delete cascade,
  -- 0x…@chain for a contract, name:… for a domain without one.
  domain text not null check (domain ~ '^(0x[0-9a-f]{40}@([0-9]{1,78}|any)|name:.{1,200})$'),
  notes text,
  created_at timestamptz not null,
  primary key (client_id, domain)
);
