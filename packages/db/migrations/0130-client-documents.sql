-- Applications that are described by a document at the address that is their client id.

alter table client_apps add column document_due_at timestamptz;
comment on column client_apps.document_due_at is 'When the document that describes the application is to be read again. Null unless its client id is the address of one.';
-- safe: the table has a row for each application, and none matches yet.
create index client_apps_described on client_apps (id) where document_due_at is not null;
