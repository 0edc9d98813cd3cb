import assert from 'node:assert/strict';
import { test } from 'node:test';
import { variables } from './config.ts';
import { misspeltSettings, unknownSettings } from './unknown-settings.ts';

const known = Object.keys(variables);

test('an unknown setting is reported, and one that is close to a setting with what was meant', () => {
  const environment = {
    LATCHKEY_PORT: '1',
    LATCHKEY_BASEURL: 'https://x',
    LATCHKEY_DISCORD_TOKEN: 'x',
    LATCHKEY_SOMETHING_ELSE_ENTIRELY: '1',
    LATCHKEY_TEST_SEED: 'a',
    PATH: '/bin',
  };
  assert.deepEqual(unknownSettings(environment, known), [
    'LATCHKEY_BASEURL',
    'LATCHKEY_DISCORD_TOKEN',
    'LATCHKEY_SOMETHING_ELSE_ENTIRELY',
  ]);
  assert.deepEqual(misspeltSettings(environment, known), [
    { name: 'LATCHKEY_BASEURL', meant: 'LATCHKEY_BASE_URL' },
    { name: 'LATCHKEY_DISCORD_TOKEN', meant: 'LATCHKEY_DISCORD_BOT_TOKEN' },
  ]);
});

test('what deployment files, clients and Kubernetes add to the environment is no misspelt setting', () => {
  const others = [
    'LATCHKEY_DOMAIN',
    'LATCHKEY_IMAGE',
    'LATCHKEY_TAG',
    'LATCHKEY_URL',
    'LATCHKEY_API_KEY',
    'LATCHKEY_CLIENT_ID',
    'LATCHKEY_SERVICE_HOST',
    'LATCHKEY_SERVER_SERVICE_PORT_HTTP',
    'LATCHKEY_SERVER_PORT_3000_TCP_ADDR',
  ];
  assert.deepEqual(misspeltSettings(Object.fromEntries(others.map((name) => [name, 'x'])), known), []);
});
