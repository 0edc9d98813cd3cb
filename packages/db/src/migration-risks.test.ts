import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { risksIn } from './migrate.ts';

const folder = new URL('../migrations/', import.meta.url);

test('no migration contracts the schema or blocks running work, unless it says why that is safe', async () => {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.contract.sql')) continue;
    const risks = risksIn(await readFile(new URL(name, folder), 'utf8'));
    assert.deepEqual(risks, [], `${name}: change it, or write above the statement: -- safe: <reason>`);
  }
});

test('what the previous version may still use, and what blocks its work, is found', async () => {
  const dangerous = [
    'drop table coins',
    'drop function paid(text)',
    'alter table coins drop column worth',
    'alter table coins rename column worth to value',
    'ALTER TABLE coins\n  RENAME TO money',
    'alter table coins alter column worth type bigint',
    'alter table coins alter worth set data type bigint',
    'alter table coins add column kind text not null',
    'alter table coins alter column worth set not null',
    'alter table coins add constraint positive check (worth > 0)',
    'alter table coins add foreign key (owner) references people (id)',
    'alter table coins add constraint one unique (owner)',
    'create index coins_owner on coins (owner)',
    'create unique index on coins (owner)',
    'update coins set worth = 0',
    'delete from coins',
    'truncate coins',
    'lock table coins',
    'vacuum full coins',
  ];
  for (const statement of dangerous) assert.equal(risksIn(`${statement};`).length, 1, statement);
  assert.equal(risksIn(dangerous.join(';\n')).length, dangerous.length);
});

test('additive statements are allowed, and so is everything on a table of the same file', () => {
  const harmless = [
    'create table coins (id text primary key); create index on coins (id); alter table coins add check (id is not null)',
    'create table if not exists coins (id text); alter table coins enable row level security',
    'alter table people add column kind text',
    "alter table people add column kind text not null default 'a; drop table people'",
    'alter table people add constraint named check (length(name) > 0) not valid',
    'alter table people drop constraint named',
    'alter table people alter column kind drop not null',
    'update people set kind = 1 where kind is null',
    'create function f() returns text language plpgsql as $$ begin drop table people; end $$',
    'create function g() returns void language sql begin atomic delete from people; select 1; end;',
    '-- drop table people;\nselect 1',
    '-- first this; drop table people\nselect 1',
    "-- nobody's; it's new\ncreate table coins (id text); create index on coins (id)",
  ];
  for (const statement of harmless) assert.deepEqual(risksIn(`${statement};`), [], statement);
});

test('a statement is allowed when the comment above it says why, and only that one', () => {
  const sql = '-- safe: the table has one row for each plan\ncreate index on plans (id);\ncreate index on people (id);';
  assert.deepEqual(
    risksIn(sql).map(({ statement }) => statement),
    ['create index on people (id)'],
  );
  assert.equal(risksIn('-- safe: yes\ndrop table coins;').length, 1, 'a reason has more than a word');
});
