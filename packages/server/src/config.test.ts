import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig, variables } from './config.ts';

test('nothing has to be set', () => {
  const config = readConfig({});
  assert.equal(config.port, 3000);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.ethereumHeader, false);
  assert.equal(config.allowPrivateCallbacks, undefined);
  assert.deepEqual(config.anonymousRate, { points: 50, durationSeconds: 1 });
});

test('every mistake is named at once', () => {
  const wrong = {
    LATCHKEY_PORT: '70000',
    LATCHKEY_BASE_URL: 'ftp://x',
    LATCHKEY_USER_RATE: '5',
    LATCHKEY_ETHEREUM_HEADER: 'yes',
    LATCHKEY_LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://x',
  };
  assert.throws(
    () => readConfig(wrong),
    (error: Error) => Object.keys(wrong).every((name) => error.message.includes(name)),
  );
});

test('a wrong value is never repeated, since it may be a password', () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: 'mysql://u:hunter2@x' }),
    (error: Error) => !error.message.includes('hunter2'),
  );
});

test('the id and the hash of an application of Telegram are set together or not at all', () => {
  const both = { LATCHKEY_TELEGRAM_API_ID: '4242', LATCHKEY_TELEGRAM_API_HASH: 'abc' };
  assert.deepEqual(readConfig(both).telegramListing, { apiId: 4242, apiHash: 'abc' });
  assert.equal(readConfig({}).telegramListing, undefined);
  for (const name of Object.keys(both) as (keyof typeof both)[])
    assert.throws(() => readConfig({ [name]: both[name] }), /must be set together/);
  assert.throws(() => readConfig({ ...both, LATCHKEY_TELEGRAM_API_ID: '0' }), /must be a whole number/);
});

test('a slash at the end of the base URL is dropped', () => {
  assert.equal(readConfig({ LATCHKEY_BASE_URL: 'https://api.example.org/' }).baseUrl, 'https://api.example.org');
});

test('the manual lists exactly the variables that are read, with their meaning and what holds without them', () => {
  const manual = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const rows = [...manual.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)].map(([, name, meaning, fallback]) => [
    name,
    meaning,
    fallback,
  ]);
  const expected = Object.entries(variables).map(([name, { meaning, fallback }]) => [
    name,
    meaning,
    fallback === '' ? '–' : `\`${fallback}\``,
  ]);
  assert.deepEqual(rows, expected);
});
