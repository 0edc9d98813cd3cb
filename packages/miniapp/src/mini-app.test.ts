import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createMiniApp,
  followUpOn,
  type Interaction,
  type MiniAppOptions,
  optionOf,
  permissionAnswer,
  say,
} from './index.ts';
import { serve } from './node.ts';
import { createTester } from './tester.ts';

const metadata = { manifest: { appId: 'a', developer: 'me', name: 'A' } };

function testerOf(options: Partial<MiniAppOptions>) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  return createTester((world) =>
    createMiniApp({ ...world, metadata, onError, onInteraction: () => undefined, ...options }),
  ).then((tester) => ({ tester, errors }));
}

test('a command reaches the handler with its options and context, and gets its response', async () => {
  const { tester } = await testerOf({
    onInteraction: (interaction) => say(`${interaction.actionContext.guildName} ${optionOf(interaction, 'color')}`),
  });
  const report = await tester.command('paint', { color: 'blue' }, { actionContext: { guildName: 'Dogs' } });
  assert.deepEqual(report, { status: 200, response: { type: 4, data: { content: 'Dogs blue', flags: 64 } } });
  assert.deepEqual(say({ content: 'x', flags: 4 }, { isPublic: true }), { type: 4, data: { content: 'x', flags: 4 } });
});

test('no content is 204, and an event reaches its handler', async () => {
  const received: string[] = [];
  const { tester } = await testerOf({ onEvent: ({ event }) => void received.push(event) });
  assert.deepEqual(await tester.command('x'), { status: 204, response: undefined });
  assert.equal(await tester.event('install'), 204);
  assert.deepEqual(received, ['install']);
});

test('an error in a handler is reported only to the developer, now and later', async () => {
  const secret = new Error('the password is 1234');
  const { tester, errors } = await testerOf({
    onInteraction: ({ data }, { later }) => {
      if (data?.name === 'now') throw secret;
      later(async () => {
        throw secret;
      });
      return say('done');
    },
  });
  assert.deepEqual(await tester.command('now'), { status: 500, response: undefined });
  assert.equal((await tester.command('later')).status, 200);
  assert.deepEqual(errors, [secret, secret]);
});

test('follow-ups are sent, changed and deleted, and a refusal does not reveal the URL', async () => {
  const { tester, errors } = await testerOf({
    onInteraction: (_interaction, { followUp, later }) => {
      later(async () => {
        const first = await followUp.send({ content: 'one' });
        const second = await followUp.send({ content: 'two' });
        await followUp.edit(first.id, { content: 'three' });
        await followUp.remove(second.id);
        await followUp.remove(second.id);
      });
      return undefined;
    },
  });
  await tester.command('x');
  assert.deepEqual(
    tester.messages().map(({ content }) => content),
    ['three'],
  );
  assert.match(String(errors[0]), /The server responded with 404 when a message was deleted/);
  const probed: Interaction = { id: '1', type: 4, actionContext: {} };
  await assert.rejects(followUpOn(probed).send({}), /no callback URL/);
});

test('a permission counts only with the token that the server sends', async () => {
  const pressed = (customId: string, apiToken?: string): Interaction => ({
    id: '1',
    type: 3,
    data: { custom_id: customId },
    actionContext: apiToken === undefined ? {} : { apiToken },
  });
  assert.deepEqual(permissionAnswer(pressed('$approve-user-permissions:1', 't')), { isGranted: true, apiToken: 't' });
  assert.deepEqual(permissionAnswer(pressed('$approve-user-permissions:1')), { isGranted: false });
  assert.deepEqual(permissionAnswer(pressed('$deny-user-permissions:1', 't')), { isGranted: false });
  assert.equal(permissionAnswer(pressed('other')), undefined);
});

test('an app passes the probe, and one that accepts everything does not', async () => {
  const { tester } = await testerOf({});
  assert.deepEqual(await tester.probe(), []);
  const credulous = await createTester(() => ({
    fetch: async () => new Response(null, { status: 204 }),
    settled: async () => undefined,
  }));
  assert.equal((await credulous.probe()).length, 8);
});

test('an app without a server key is not created', () => {
  assert.throws(
    () => createMiniApp({ keys: {}, metadata, onInteraction: () => undefined }),
    /Give a key of your Latchkey server/,
  );
});

test('over HTTP it serves its metadata, refuses what is unsigned, unknown or too large, and stops', async () => {
  const app = createMiniApp({ keys: { ed25519: 'ab'.repeat(32) }, metadata, onInteraction: () => undefined });
  const { port, close } = await serve(app, { port: 0 });
  const at = `http://127.0.0.1:${port}`;
  assert.deepEqual(await (await fetch(`${at}/metadata`)).json(), metadata);
  const post = async (path: string, headers: Record<string, string>) =>
    (await fetch(at + path, { method: 'POST', body: '{}', headers })).status;
  const now = String(Date.now());
  assert.equal(await post('/interactions', {}), 400);
  assert.equal(await post('/interactions', { 'x-signature-timestamp': now }), 400);
  assert.equal(await post('/events', { 'x-signature-timestamp': now, 'x-signature-ed25519': '00'.repeat(64) }), 401);
  assert.equal(await post('/elsewhere', {}), 404);
  assert.equal((await fetch(`${at}/interactions`)).status, 404);
  await close();
  await assert.rejects(fetch(`${at}/metadata`));
});
