import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { startDiscordEmulator } from '../discord/index.ts';
import { startMailCatcher } from '../mail-catcher/index.ts';
import { startPoapEmulator } from '../poap/index.ts';
import { startRedditEmulator } from '../reddit/index.ts';
import { startTelegramEmulator } from '../telegram/index.ts';

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

describe('an emulator responds to local host names only', () => {
  const stand: Record<string, () => Promise<{ url: string; stop(): Promise<unknown> }>> = {
    Discord: () => startDiscordEmulator(),
    Telegram: () => startTelegramEmulator(),
    Reddit: () => startRedditEmulator(),
    'an indexer': () => startPoapEmulator(),
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

  test('the Discord gateway', async (t) => {
    const emulator = await startDiscordEmulator();
    t.after(emulator.stop);
    const rebound = new WebSocket(emulator.gatewayUrl, { headers: { host: 'evil.example' } });
    const [error] = await once(rebound, 'error');
    assert.match(String(error), /421/);
    const local = new WebSocket(emulator.gatewayUrl);
    await once(local, 'open');
    local.terminate();
  });
});
