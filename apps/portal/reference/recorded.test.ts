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
const onTelegram = 'Needs data that Telegram signed for one person who asked to join.';
/** Operations without a recorded call, by the reason. */
const withoutExample: Readonly<Record<string, string>> = {
  'GET /oauth2/callback/{slug}': 'Only the browser that started the sign-in has the slug and the cookie.',
  'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke': 'Needs a link that Telegram reported.',
  'POST /latchkey/devvit/sync': 'Only the app on Reddit has the key that it signs with.',
  'POST /latchkey/telegram-join-requests/{slug}/open': onTelegram,
  'POST /latchkey/telegram-join-requests/{slug}/check': onTelegram,
};

test('the reference shows a recorded call of every operation, and starts its console from it', () => {
  const document = readDescription(describeApi(resources, { serverUrl: 'https://latchkey.example' }));
  assert.ok(document);
  const tags = modelOf(document, new Map(), readExamples());
  const operations = tags.flatMap((tag) => tag.operations);
  const lacking = operations.filter(({ example }) => example === undefined);
  assert.deepEqual(
    lacking.map(({ method, path }) => `${method} ${path}`).toSorted(),
    Object.keys(withoutExample).toSorted(),
  );
  const placeholders = operations.filter(({ body }) => /"string"/.test(JSON.stringify(body?.example) ?? ''));
  assert.deepEqual(
    placeholders.map(({ id }) => id),
    // Only Telegram and an app on Reddit sign what they take.
    ['openJoinPage', 'syncDevvitApp'],
  );
});

/** What a response lists nothing of, by the reason. */
const emptyLists: Readonly<Record<string, string>> = {
  'GET /discord/webhooks/{interactionId}/messages/{messageId}': 'A message of plain text has no embeds or attachments.',
  'GET /latchkey/account/export': 'It names what was too long to include, and nothing was.',
  'GET /latchkey/communities/{communityId}/apps/{appId}': 'The app has no commands and asks for nothing.',
  'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/undo':
    'The change set failed before it changed a role.',
  'GET /latchkey/communities/{communityId}/contract': 'It lists problems, and the contract has none.',
  'GET /latchkey/communities/{communityId}/rule-set/source': 'It lists rules that have moved, and none have.',
  'GET /latchkey/communities/{communityId}/shadow-mode': 'It has just been turned on.',
  'GET /latchkey/communities/{communityId}/tag-order': 'Only rules of Telegram chats give tags.',
  'GET /latchkey/miniapps/{miniAppId}': 'The app has no commands.',
  'GET /latchkey/operator/erasures': 'An erasure is listed only until the worker has finished it.',
  'GET /latchkey/operator/mails': 'Only npm start has a mail catcher.',
  'GET /reddit/is-community-config-set': 'It lists errors, and there are none.',
};

function isEmptyList(body: unknown): boolean {
  if (Array.isArray(body)) return body.length === 0;
  const lists = Object.values(Object(body) as Record<string, unknown>).filter(Array.isArray);
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

test('no response shows an empty list, unless there is a reason', () => {
  const empty = Object.entries(readExamples()).flatMap(([route, { response }]) =>
    route.startsWith('GET ') && isEmptyList(response.body) ? [route] : [],
  );
  assert.deepEqual(empty.toSorted(), Object.keys(emptyLists).toSorted());
});

test('no recorded call has a placeholder for a body', () => {
  const placeholder = /hello.{1,5}world|lorem ipsum|"foo"/i;
  assert.deepEqual(
    Object.entries(readExamples()).flatMap(([route, example]) =>
      placeholder.test(JSON.stringify(example)) ? [route] : [],
    ),
    [],
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
