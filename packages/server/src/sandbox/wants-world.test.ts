import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../config.ts';
import { wantsWorld } from './wants-world.ts';
import { withEmulators } from './with-emulators.ts';

describe('the sample community', () => {
  const wants = (environment: Record<string, string>) => wantsWorld(readConfig(environment));

  test('is included with a local server, until a bot is configured', () => {
    assert.equal(wants({}), true);
    assert.equal(wants({ LATCHKEY_BASE_URL: 'http://localhost:4000', LATCHKEY_HOST: '::1' }), true);
    assert.equal(wants({ LATCHKEY_SANDBOX: 'false' }), false);
    const bots: Record<string, string>[] = [
      { LATCHKEY_DISCORD_BOT_TOKEN: 'a.bot.token' },
      { LATCHKEY_TELEGRAM_BOT_TOKEN: '1:token' },
      { LATCHKEY_REDDIT_CLIENT_ID: 'x', LATCHKEY_REDDIT_CLIENT_SECRET: 'x' },
    ];
    for (const bot of bots) {
      assert.equal(wants(bot), false);
      assert.equal(wants({ ...bot, LATCHKEY_SANDBOX: 'true' }), true);
    }
  });

  test('is not included with a public server, and both together do not start', () => {
    const reachable = {
      LATCHKEY_BASE_URL: ['https://id.example', 'http://192.168.0.5:3000', 'http://localhost.evil.example'],
      LATCHKEY_HOST: ['0.0.0.0', '::', '192.168.0.5', 'box.local'],
    };
    for (const [name, values] of Object.entries(reachable))
      for (const value of values) {
        assert.equal(wants({ [name]: value }), false, value);
        assert.throws(() => wants({ [name]: value, LATCHKEY_SANDBOX: 'true' }), new RegExp(name), value);
      }
  });
});

test('with the emulators, local programs may be called, unless the operator configured otherwise', () => {
  const hostsOf = (environment: Record<string, string>) => withEmulators(readConfig(environment)).allowPrivateCallbacks;
  assert.deepEqual(hostsOf({}), { hosts: ['localhost', '127.0.0.1', '::1'] });
  assert.equal(hostsOf({ LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'false' }), false);
  assert.equal(hostsOf({ LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true' }), true);
});
