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
  const statuses = ['400', '401', '403', '404', '409', '422', '429', '503'];
  const lacking = operations.flatMap((operation) => {
    const { errors, parameters, body, isRepeatable, facts } = operation;
    const shown = new Set(refusalsOf(operation, byCode).map(({ status }) => String(status)));
    const isPossible = (status: string): boolean => {
      // Nothing in it can be malformed.
      if (status === '400') return parameters.length > 0 || body !== undefined;
      // Only a request that is sent twice at the same moment meets IDEMPOTENCY_IN_PROGRESS, which is not recorded.
      if (status === '409') return !isRepeatable || facts.errors.some(({ code }) => code === 'STATE_CONFLICT');
      return true;
    };
    return statuses
      .filter((status) => errors.includes(status) && isPossible(status) && !shown.has(status))
      .map((status) => `${operation.id} ${status}`);
  });
  assert.deepEqual(lacking, []);
});

/** Each user can call the first only a few times; the others take bodies that this server signed, as bytes. */
const withoutOwn = ['createOrganization', 'stripeWebhook', 'handleEvent', 'handleInteraction'];

test('a body that breaks off, a word for a number and a credential for something else are refused by the operation itself', () => {
  const lacking = (status: number, isMeant: (operation: (typeof operations)[number]) => boolean) =>
    operations.flatMap((operation) => {
      const shown = refusalsOf(operation, byCode).filter((refusal) => refusal.status === status);
      return isMeant(operation) && shown.every(({ route }) => route !== undefined) ? [operation.id] : [];
    });
  const hasNumber = ({ parameters }: (typeof operations)[number]) =>
    parameters.some(({ type }) => type === 'number' || type === 'integer');
  const isSent = ({ example }: (typeof operations)[number]) => example?.request.body !== undefined;
  const malformed = lacking(400, (one) => hasNumber(one) || (isSent(one) && one.body?.type === 'application/json'));
  const ofFewKinds = ({ credentials }: (typeof operations)[number]) =>
    credentials.length > 0 && !credentials.includes('api-key');
  const weak = lacking(403, (one) => one.example !== undefined && !one.isOpen && ofFewKinds(one));
  assert.deepEqual({ malformed, weak }, { malformed: withoutOwn, weak: [] });
});

test('a recording of the operation itself goes before one of another', () => {
  const read = operations.find(({ id }) => id === 'approveChangeSet');
  assert.ok(read);
  const shown = refusalsOf(read, byCode);
  assert.equal(shown.find(({ code }) => code === 'AUTHENTICATION_REQUIRED')?.route, undefined);
  assert.equal(shown.find(({ code }) => code === 'STATE_CONFLICT')?.route, undefined);
  assert.equal(shown.find(({ code }) => code === 'PRESENCE_REQUIRED')?.route, byCode.PRESENCE_REQUIRED?.route);
});
