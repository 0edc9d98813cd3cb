import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTester } from '@latchkey/miniapp/tester';
import { make } from './mini-app.js';

test('greets, and asks for permission', async () => {
  const tester = await createTester(make);
  const { response } = await tester.command('greet');
  assert.equal(response?.data?.content, 'Hello, ada, in Cats!');
  assert.deepEqual(
    tester.messages().map(({ content }) => content),
    ['May I ask the server who you are?'],
  );
  const denied = await tester.press('$deny-user-permissions:1');
  assert.equal(denied.response?.data?.content, 'Then I will not ask the server.');
});

test('would be listed: it refuses what is not signed', async () => {
  assert.deepEqual(await (await createTester(make)).probe(), []);
});
