import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { modelOf } from './model.ts';
import { factsOf } from './operation-facts.ts';
import { readDescription } from './read-description.ts';
import { readRefusals } from './read-refusals.ts';
import { refusalsOf } from './refusals.ts';

const document = readDescription(describeApi(resources, { serverUrl: 'https://latchkey.example' }));
assert.ok(document);
const facts = new Map(
  (resources as readonly Resource[]).flatMap(({ operations }) =>
    operations.map((operation) => [String(operation.route), factsOf(operation)]),
  ),
);
const byCode = readRefusals();
const operations = modelOf(document, new Map(), readExamples())
  .flatMap((tag) => tag.operations)
  .flatMap((operation) => {
    const known = facts.get(`${operation.method} ${operation.path}`);
    return known === undefined ? [] : [{ ...operation, facts: known }];
  });

test('every code that an operation declares is shown with a recorded body, a cause and a cure', () => {
  assert.ok(operations.length > 400);
  const lacking = operations.flatMap((operation) => {
    const shown = refusalsOf(operation, byCode);
    const codes = shown.map(({ code }) => code);
    assert.ok(shown.every(({ body, meaning, advice }) => body !== undefined && meaning !== '' && advice !== ''));
    return operation.facts.errors.flatMap(({ code }) => (codes.includes(code) ? [] : [`${operation.id} ${code}`]));
  });
  assert.deepEqual(lacking, []);
});

test('each status that an operation declares has a refusal', () => {
  const statuses = ['401', '403', '404', '429', '503'];
  const lacking = operations.flatMap((operation) => {
    const shown = new Set(refusalsOf(operation, byCode).map(({ status }) => String(status)));
    return statuses
      .filter((status) => operation.errors.includes(status) && !shown.has(status))
      .map((status) => `${operation.id} ${status}`);
  });
  assert.deepEqual(lacking, []);
});

test('a recording of the operation itself goes before one of another', () => {
  const read = operations.find(({ id }) => id === 'approveChangeSet');
  assert.ok(read);
  const shown = refusalsOf(read, byCode);
  assert.equal(shown.find(({ code }) => code === 'AUTHENTICATION_REQUIRED')?.route, undefined);
  assert.equal(shown.find(({ code }) => code === 'STATE_CONFLICT')?.route, byCode.STATE_CONFLICT?.route);
});
