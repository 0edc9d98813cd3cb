import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { modelOf } from './model.ts';
import { isOperation, pathsElsewhere, returnedBy } from './own-lists.ts';
import { readDescription } from './read-description.ts';
import { readingPostRoutes } from './reading-posts.ts';
import { routesSentBefore } from './sent-first.ts';

const document = readDescription(describeApi(resources, { serverUrl: 'http://127.0.0.1:3000' }));
assert.ok(document);
const operations = modelOf(document, new Map()).flatMap((tag) => tag.operations);
const routes = new Set(operations.map(({ method, path }) => `${method} ${path}`));
const listsOf = (route: string) => operations.find(({ method, path }) => `${method} ${path}` === route)?.lists;

test('every list of the reader’s own objects is an operation', () => {
  assert.deepEqual(
    pathsElsewhere.filter((path) => !routes.has(isOperation(path) ? path : `GET ${path}`)),
    [],
  );
  assert.ok(returnedBy.has('POST /states'));
});

test('an operation that uses what another creates names that one, unless a list has it', () => {
  assert.deepEqual(
    routesSentBefore.filter((route) => !routes.has(route)),
    [],
  );
  const firstOf = (route: string) => operations.find(({ method, path }) => `${method} ${path}` === route)?.first?.route;
  assert.equal(firstOf('GET /states/{slug}'), 'POST /states');
  assert.equal(firstOf('PUT /latchkey/miniapps/{miniAppId}/profile'), 'POST /miniapps');
  assert.equal(firstOf('POST /latchkey/plans/{planId}/checkout'), undefined);
});

test('the list before a parameter has its ids, and a few other places have the rest', () => {
  const community = '/latchkey/communities/{communityId}';
  assert.deepEqual(listsOf(`GET ${community}/rule-imports/{importId}`), [
    { in: 'path', name: 'importId', list: `${community}/rule-imports`, field: 'id' },
  ]);
  assert.deepEqual(listsOf(`POST ${community}/change-sets/{changeSetId}/approve`), [
    { in: 'path', name: 'changeSetId', list: `${community}/change-sets?status=held`, field: 'id' },
    { in: 'path', name: 'changeSetId', list: `${community}/change-sets?status=previewed`, field: 'id' },
  ]);
  assert.deepEqual(listsOf('GET /states/{slug}'), [{ in: 'path', name: 'slug', list: 'POST /states', field: 'slug' }]);
  assert.equal(listsOf('GET /ping'), undefined);
});

test('every POST that is sent without a question is an operation that no repetition changes', () => {
  const known = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  // An Idempotency-Key is for what a repetition would do twice.
  assert.deepEqual(
    readingPostRoutes.filter((route) => known.get(route)?.isRepeatable !== false),
    [],
  );
});
