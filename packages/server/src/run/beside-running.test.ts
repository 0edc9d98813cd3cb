import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { besideRunning, servicesStartedBy } from './beside-running.ts';

const secrets = {
  DATABASE_URL: 'postgres://someone:hidden@db.example/latchkey',
  LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
};
const noteOf = (environment: Record<string, string>, url = 'http://localhost:4100') => ({
  pid: 4711,
  url,
  localUrl: url,
  ...servicesStartedBy(readConfig(environment), true),
});

test('a command uses the addresses of the Latchkey running next to it', () => {
  const running = noteOf({ LATCHKEY_PORT: '4100', LATCHKEY_SANDBOX_PORT: '4200', LATCHKEY_MAIL_CATCHER_PORT: '4300' });
  const { baseUrl, sandboxPort, mailCatcherPort } = besideRunning(readConfig({}), running);
  assert.deepEqual([baseUrl, sandboxPort, mailCatcherPort], ['http://localhost:4100', 4200, 4300]);
  const report = readConfig({ LATCHKEY_BASE_URL: 'https://gate.example' });
  assert.equal(besideRunning(report, running).baseUrl, 'https://gate.example');
  assert.deepEqual(besideRunning(report, undefined), report);
});

test('a command that lacks a secret says which one, and the note holds none', () => {
  const running = noteOf(secrets);
  assert.doesNotMatch(JSON.stringify(running), /hidden|k1:/);
  assert.throws(() => besideRunning(readConfig({}), running), {
    message:
      /process 4711, http:\/\/localhost:4100\) was started with DATABASE_URL and LATCHKEY_MASTER_KEYS\. Set them for this command too/,
  });
  const { DATABASE_URL } = secrets;
  assert.throws(() => besideRunning(readConfig({ DATABASE_URL }), running), /with LATCHKEY_MASTER_KEYS\. Set it/);
  assert.equal(besideRunning(readConfig(secrets), running).databaseUrl, DATABASE_URL);
});
