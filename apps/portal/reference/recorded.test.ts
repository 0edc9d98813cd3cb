import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { modelOf } from './model.ts';
import { readDescription } from './read-description.ts';
import { answerText } from './recorded.ts';

const served = (resources as readonly Resource[]).flatMap(({ operations }) =>
  operations.map(({ route }) => String(route)),
);
/** Only reachable for a browser that started a sign-in. */
const withoutExample = [
  'GET /oauth2/callback/{slug}',
  'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke',
  'GET /latchkey/communities/{communityId}/devvit',
  'POST /latchkey/communities/{communityId}/devvit',
  'DELETE /latchkey/communities/{communityId}/devvit',
  'POST /latchkey/devvit/sync',
  'POST /latchkey/telegram-join-requests/{slug}/open',
  'POST /latchkey/telegram-join-requests/{slug}/check',
];

test('the reference shows a recorded call of every operation, and starts its console from it', () => {
  const document = readDescription(describeApi(resources, { serverUrl: 'https://latchkey.example' }));
  assert.ok(document);
  const tags = modelOf(document, new Map(), readExamples());
  const operations = tags.flatMap((tag) => tag.operations);
  const lacking = operations.filter(({ example }) => example === undefined);
  assert.deepEqual(lacking.map(({ method, path }) => `${method} ${path}`).toSorted(), withoutExample.toSorted());
  const placeholders = operations.filter(({ body }) => /"string"/.test(JSON.stringify(body?.example) ?? ''));
  assert.deepEqual(
    placeholders.map(({ id }) => id),
    // Only Telegram and an app on Reddit sign what they take.
    ['openJoinPage', 'syncDevvitApp'],
  );
});

test('no recorded call is of a removed operation, and none contains an address of the machine that recorded it', () => {
  const examples = readExamples();
  assert.deepEqual(
    Object.keys(examples).filter((route) => !served.includes(route)),
    [],
  );
  const traces = /127\.0\.0\.1:\d|localhost:\d|\blk_[a-z]+_\w{8}|\beyJ[\w-]{10,}\.[\w-]/;
  assert.deepEqual(
    Object.entries(examples).filter(([, example]) => traces.test(JSON.stringify(example))),
    [],
  );
});

test('a response is shown without the headers that every response has', () => {
  assert.equal(answerText({ status: 200, type: 'application/json', body: [1] }), '[\n  1\n]');
  assert.equal(answerText({ status: 200, type: 'text/plain', body: 'pong' }), 'pong');
  assert.equal(answerText({ status: 302, location: 'https://app.example/' }), 'location: https://app.example/');
  assert.equal(answerText({ status: 200, type: 'image/png' }), 'Bytes of image/png.');
  assert.equal(answerText({ status: 204 }), 'No content.');
});
