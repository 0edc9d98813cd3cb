import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { errorCodes, type Resource } from '@latchkey/kernel';
import { adviceByStatus, causedEvents, factsOf } from './operation-facts.ts';

const operations = (resources as readonly Resource[]).flatMap((resource) => resource.operations);

test('there is advice for the status of every error code', () => {
  const lacking = Object.values(errorCodes).filter(({ status }) => !adviceByStatus().get(status)?.endsWith('.'));
  assert.deepEqual(lacking, []);
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
