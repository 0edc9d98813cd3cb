import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { telegramRoute } from '@latchkey/core';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { webhookSecret } from '@latchkey/platforms/telegram';
import { until } from '@latchkey/test-kit';
import { listenOutside } from '../../src/run/listen.ts';
import { codeOf } from '../harness/error-shape.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('http: updates that Telegram posts', () => {
  let emulator: TelegramEmulator;
  let server: TestServer;
  let secret: string;
  before(async () => {
    emulator = await startTelegramEmulator({ webhookPauseMs: 20 });
    server = await startTestServer({
      LATCHKEY_TELEGRAM_BOT_TOKEN: emulator.bot.token,
      LATCHKEY_TELEGRAM_API_URL: emulator.url,
      LATCHKEY_TELEGRAM_UPDATES: 'webhook',
      LATCHKEY_BASE_URL: 'http://127.0.0.1',
    });
    secret = webhookSecret(emulator.bot.token);
  });
  after(async () => {
    await emulator.stop();
    await server.close();
  });

  const listen = (telegramUpdates: 'poll' | 'webhook') =>
    listenOutside(server.services, { ...server.config, telegramUpdates });
  const webhook = async () => {
    const answer = await fetch(`${emulator.url}/bot${emulator.bot.token}/getWebhookInfo`);
    return Object(await answer.json()).result as { url: string; pending_update_count: number };
  };
  const setWebhook = (url: string) =>
    fetch(`${emulator.url}/bot${emulator.bot.token}/setWebhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url, secret_token: secret }),
    });

  /** Creates a group with the bot, which becomes a community once its first update is handled. */
  async function newGroup(): Promise<{ id: number; say(): void; receivedCount(): Promise<number> }> {
    const group = emulator.createGroup({ title: 'Cat Club' });
    const id = `TEL#COMM#${group.id}`;
    const known = 'select from communities where id = $1';
    const { pool } = server.services.db;
    await until('the community is known', async () => (await pool.query(known, [id])).rows.length > 0);
    const ann = emulator.createUser('Ann').id;
    emulator.addMember(group.id, ann);
    const words = `select coalesce(sum(count), 0)::int as n from community_interactions where community_id = $1 and kind = 'message'`;
    return {
      id: group.id,
      say: () => void emulator.speak(ann, group.id, 'hello'),
      receivedCount: async () => (await pool.query(words, [id])).rows[0].n,
    };
  }
  const settled = () => until('nothing waits', async () => (await webhook()).pending_update_count === 0);

  const post = (body: string, headers: Record<string, string>) =>
    server.request('POST', telegramRoute.path, { headers: { 'content-type': 'application/json', ...headers }, body });
  const genuine = () => ({ [telegramRoute.secretHeader]: secret });

  test('are handled once each, however they arrive and while that changes', async () => {
    let listening = listen('webhook');
    await until('the address is set', async () => (await webhook()).url === `${server.url}${telegramRoute.path}`);
    const group = await newGroup();
    group.say();
    group.say();
    await until('both were received', async () => (await group.receivedCount()) === 2);
    await listening.stop();
    group.say();
    await until('it is posted without any worker', async () => (await group.receivedCount()) === 3);
    listening = listen('poll');
    await until('a worker asks', async () => (await webhook()).url === '');
    group.say();
    await until('it was requested', async () => (await group.receivedCount()) === 4);
    await listening.stop();
    group.say();
    listening = listen('webhook');
    await until('pending updates were posted', async () => (await group.receivedCount()) === 5);
    await settled();
    await listening.stop();
    assert.equal(await group.receivedCount(), 5);
    assert.ok(server.logLines.every((line) => !line.includes(secret) && !line.includes(emulator.bot.token)));
  });

  test('are sent again after an outage, and count once when only the answer was lost', async () => {
    const group = await (async () => {
      await setWebhook(`${server.url}${telegramRoute.path}`);
      return newGroup();
    })();
    await settled();
    let down = 2;
    let lost = 2;
    // Like a proxy in front of a server that restarts: at first there is no response, then responses get lost.
    const front = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      down -= 1;
      if (down >= 0) return request.socket.destroy();
      const given = request.headers[telegramRoute.secretHeader];
      const { status } = await post(Buffer.concat(chunks).toString(), { [telegramRoute.secretHeader]: String(given) });
      lost -= 1;
      if (lost >= 0) return request.socket.destroy();
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    try {
      await setWebhook(`http://127.0.0.1:${(front.address() as AddressInfo).port}/telegram/updates`);
      for (let reply = 0; reply < 3; reply += 1) group.say();
      await until('all were received', async () => (await group.receivedCount()) === 3);
      await settled();
      assert.deepEqual([await group.receivedCount(), down < 0, lost < 0], [3, true, true]);
      const { json } = await server.request('GET', '/latchkey/operator/health', {
        headers: { 'x-api-key': server.adminKey },
      });
      const { state, summary } = json.checks.find(({ subject }: { subject: string }) => subject === 'platforms');
      assert.deepEqual([state, summary.includes(`not to ${server.url}/telegram/updates`)], ['failing', true]);
    } finally {
      front.closeAllConnections();
      front.close();
      await setWebhook(`${server.url}${telegramRoute.path}`);
    }
  });

  test('are refused without the secret, and when they are malformed', async () => {
    const update = JSON.stringify({ update_id: 1 });
    const refusals: [string, Record<string, string>, number, string][] = [
      [update, {}, 401, 'AUTHENTICATION_REQUIRED'],
      [update, { [telegramRoute.secretHeader]: 'x'.repeat(43) }, 401, 'INVALID_CREDENTIAL'],
      [update, { [telegramRoute.secretHeader]: `${secret}x` }, 401, 'INVALID_CREDENTIAL'],
      [update, { [telegramRoute.secretHeader]: emulator.bot.token }, 401, 'INVALID_CREDENTIAL'],
      ['x'.repeat(1024 * 1024 + 1), genuine(), 413, 'BODY_TOO_LARGE'],
      ['', genuine(), 400, 'INVALID_BODY'],
      ['{"update_id":', genuine(), 400, 'INVALID_BODY'],
      ['[]', genuine(), 400, 'INVALID_BODY'],
      ['{}', genuine(), 400, 'INVALID_BODY'],
      ['{"update_id":"1"}', genuine(), 400, 'INVALID_BODY'],
      ['{"update_id":-1}', genuine(), 400, 'INVALID_BODY'],
    ];
    for (const [body, headers, status, code] of refusals) {
      const answer = await post(body, headers);
      assert.deepEqual([answer.status, codeOf(answer.text)], [status, code], body.slice(0, 40));
    }
    // Telegram would resend the same again and again, and delay what follows it.
    for (const odd of [
      '{"update_id":2,"chat_member":5}',
      '{"update_id":3,"poll":{}}',
      '{"update_id":4,"message":{}}',
    ]) {
      const { status, text } = await post(odd, genuine());
      assert.deepEqual([status, text], [200, ''], odd);
    }
  });
});
