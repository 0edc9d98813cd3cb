-- Whoever asks for support, known by the address they are answered at. Numbers are ours, as a help desk has its own.
create table support_requesters (
  id bigint generated always as identity (start with 1001) primary key,
  email text not null unique
);

-- Tickets of this server's own desk; of an outside desk only whose ticket is whose.
create table support_tickets (
  desk text not null check (desk in ('own', 'freshdesk')),
  id bigint not null,
  created_by_id text not null,
  community_id text not null,
  email text not null,
  -- Null where the outside desk keeps what follows.
  requester_id bigint references support_requesters,
  -- Everything that decides nothing here: subject, description, type, tags, cc_emails, custom_fields …
  content jsonb,
  status integer,
  priority integer,
  responder_id bigint,
  is_spam boolean not null default false,
  is_deleted boolean not null default false,
  due_by timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (desk, id)
);
create sequence support_ticket_ids;
create index support_tickets_creator on support_tickets (created_by_id, created_at desc);
create index support_tickets_requester on support_tickets (requester_id);
create index support_tickets_updated on support_tickets (desk, updated_at);

alter table support_requesters enable row level security;
alter table support_requesters force row level security;
-- Addresses of mail are looked up for the server's own work only.
create policy tenant on support_requesters using (sees('')) with check (sees(''));
alter table support_tickets enable row level security;
alter table support_tickets force row level security;
create policy tenant on support_tickets using (sees(created_by_id)) with check (sees(created_by_id));
