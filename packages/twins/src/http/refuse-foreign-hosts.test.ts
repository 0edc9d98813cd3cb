import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { startDiscordTwin } from '../discord/index.ts';
import { startMailCatcher } from '../mail-catcher/index.ts';
import { startPoapTwin } from '../poap/index.ts';
import { startRedditTwin } from '../reddit/index.ts';
import { startTelegramTwin } from '../telegram/index.ts';

const own = ['localhost', '127.0.0.1', '[::1]'];
const foreign = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example:80',
  '10.0.0.5',
  '[::2]',
];

async function statusFor(url: string, host: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path: '/messages', headers: { host }, agent: false });
  sent.end();
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

describe('a stand-in answers to the names of this machine only', () => {
  const stand: Record<string, () => Promise<{ url: string; stop(): Promise<unknown> }>> = {
    Discord: () => startDiscordTwin(),
    Telegram: () => startTelegramTwin(),
    Reddit: () => startRedditTwin(),
    'an indexer': () => startPoapTwin(),
    'the mail catcher': async () => {
      const catcher = await startMailCatcher();
      return { url: catcher.httpUrl, stop: catcher.stop };
    },
  };
  for (const [name, start] of Object.entries(stand))
    test(name, async (t) => {
      const { url, stop } = await start();
      t.after(stop);
      const { port } = new URL(url);
      for (const host of own)
        for (const spelling of [host, `${host}:${port}`, host.toUpperCase()])
          assert.notEqual(await statusFor(url, spelling), 421, spelling);
      for (const host of foreign) assert.equal(await statusFor(url, host), 421, host);
    });

  test('the gateway of Discord', async (t) => {
    const twin = await startDiscordTwin();
    t.after(twin.stop);
    const rebound = new WebSocket(twin.gatewayUrl, { headers: { host: 'evil.example' } });
    const [error] = await once(rebound, 'error');
    assert.match(String(error), /421/);
    const local = new WebSocket(twin.gatewayUrl);
    await once(local, 'open');
    local.terminate();
  });
});
