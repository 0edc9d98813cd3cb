import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareDescriptions } from './compare.ts';
import type { ApiDocument, Described } from './openapi.ts';
import { readDescription } from './read-description.ts';

const listThings: Described = {
  tags: ['Things'],
  operationId: 'ThingController.list',
  summary: 'List things',
  description: 'Asks https://docs.example for them.',
  parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'number' } }],
  responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
  'x-error-statuses': [401],
  security: [{ apiKey: ['thing:read'] }],
};
const makeThing: Described = {
  tags: ['Things'],
  operationId: 'ThingController.make',
  summary: 'Make a thing',
  requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
  responses: { 204: {} },
};

function documentOf(paths: ApiDocument['paths'], thing = {}, url = 'https://docs.example'): ApiDocument {
  return {
    info: { title: 'API', version: '1.0.0' },
    servers: [{ url }],
    paths,
    components: {
      schemas: {
        Thing: {
          type: 'object',
          properties: { name: { type: 'string' }, parent: { $ref: '#/components/schemas/Thing' }, ...thing },
        },
      },
      securitySchemes: {},
    },
  };
}

const bundled = documentOf({ '/things': { get: listThings, post: makeThing } });

function compare(live: ApiDocument) {
  return compareDescriptions(bundled, live).map(({ kind, method, path, words }) => [
    kind,
    `${method} ${path}`,
    ...words,
  ]);
}

test('descriptions that differ only in the address of the server and the order of fields are the same', () => {
  const elsewhere = {
    ...listThings,
    description: 'Asks http://127.0.0.1:4000 for them.',
    operationId: 'ThingController.list',
  };
  const { summary, ...rest } = elsewhere;
  const live = documentOf({ '/things': { post: makeThing, get: { ...rest, summary } } }, {}, 'http://127.0.0.1:4000');
  assert.deepEqual(compare(live), []);
});

test('added and removed operations are reported by method and path', () => {
  const live = documentOf({ '/things': { get: listThings, delete: { ...makeThing, operationId: 'x' } } });
  assert.deepEqual(compare(live), [
    ['gone', 'POST /things'],
    ['new', 'DELETE /things'],
  ]);
});

test('a schema change is reported for every operation that uses it, field by field', () => {
  const live = documentOf(
    { '/things': { get: listThings, post: makeThing } },
    { name: { type: 'number' }, size: { type: 'string', maxLength: 3 } },
  );
  assert.deepEqual(compare(live), [
    [
      'changed',
      'GET /things',
      'Has the field of the answer `size` now.',
      'The field of the answer `name` is number instead of string.',
    ],
    [
      'changed',
      'POST /things',
      'Has the field of the body `size` now.',
      'The field of the body `name` is number instead of string.',
    ],
  ]);
});

test('changes to parameters, scopes, errors and texts are described in words', () => {
  const changed: Described = {
    ...listThings,
    summary: 'List all things',
    description: 'New.',
    parameters: [
      { name: 'limit', in: 'query', required: true, schema: { type: 'number', maximum: 5 } },
      { name: 'next', in: 'query', required: true, schema: { type: 'string' } },
    ],
    'x-error-statuses': [401, 429],
    security: [{ apiKey: ['thing:write'] }],
  };
  assert.deepEqual(compare(documentOf({ '/things': { get: changed, post: makeThing } })), [
    [
      'changed',
      'GET /things',
      'The scope is `thing:write` instead of `thing:read`.',
      'Has the parameter `next` now, which is required.',
      'The parameter `limit` is required now.',
      'The parameter `limit` is described as: At most 5.',
      'May also fail with 429.',
      'Is described as: List all things New.',
    ],
  ]);
});

test('what the tables do not show is still noticed', () => {
  const live = documentOf(
    { '/things': { get: listThings, post: makeThing } },
    { name: { type: 'string', pattern: 'x' } },
  );
  assert.deepEqual(
    compare(live).map(([, , words]) => words),
    Array(2).fill('Details of its schemas differ that the tables do not show.'),
  );
});

test('what is not a description is rejected, and malformed parts of one are left out', () => {
  for (const value of [undefined, null, [], 'x', {}, { info: {}, paths: {} }, { info: { version: '1' } }])
    assert.equal(readDescription(value), undefined);
  const odd = readDescription({
    info: { version: '2' },
    tags: 'x',
    paths: { '/a': { parameters: [], get: listThings, post: { operationId: 'x' } }, '/b': null },
    components: { schemas: { Thing: null } },
  });
  assert.ok(odd);
  assert.deepEqual(Object.keys(odd.paths['/a'] ?? {}), ['get']);
  assert.deepEqual(
    compare(odd).map(([kind]) => kind),
    ['gone', 'gone', 'new'],
  );
});
