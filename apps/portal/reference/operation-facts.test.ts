import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { errorCodes, type Resource } from '@latchkey/kernel';
import { adviceByCode, causedEvents, factsOf } from './operation-facts.ts';

const operations = (resources as readonly Resource[]).flatMap((resource) => resource.operations);

test('the manual has its own cure for every error code, and for no other', () => {
  assert.deepEqual([...adviceByCode().keys()], Object.keys(errorCodes));
  assert.deepEqual(
    [...adviceByCode()].filter(([, advice]) => !advice.endsWith('.')),
    [],
  );
  assert.equal(new Set(adviceByCode().values()).size, adviceByCode().size);
});

test('the operations that cause events are served', () => {
  const routes = operations.map(({ route }) => String(route));
  assert.deepEqual(
    Object.keys(causedEvents).filter((route) => !routes.includes(route)),
    [],
  );
});

test('the facts of an operation name its object and its own error codes', () => {
  const approve = operations.find(({ contract }) => contract.id === 'approveChangeSet');
  assert.ok(approve);
  const { object, errors, events } = factsOf(approve);
  assert.equal(object?.param, 'communityId');
  assert.deepEqual(
    errors.map(({ code, status }) => [code, status]),
    [
      ['ENTITY_NOT_FOUND', 404],
      ['PRESENCE_REQUIRED', 403],
      ['STATE_CONFLICT', 409],
      ['UNAVAILABLE', 503],
    ],
  );
  assert.ok(events.includes('change-set.decided'));
});
