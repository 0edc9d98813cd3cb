import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig, variables } from './config.ts';
import { envExample } from './env-example.ts';

test('no setting is required', () => {
  const config = readConfig({});
  assert.equal(config.port, 3000);
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.databaseUrl, undefined);
  assert.equal(config.ethereumHeader, false);
  assert.equal(config.allowPrivateCallbacks, undefined);
  assert.deepEqual(config.anonymousRate, { points: 50, durationSeconds: 1 });
});

test('all mistakes are reported at once', () => {
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

test('a Telegram application’s id and hash are set together or not at all', () => {
  const both = { LATCHKEY_TELEGRAM_API_ID: '4242', LATCHKEY_TELEGRAM_API_HASH: 'abc' };
  assert.deepEqual(readConfig(both).telegramListing, { apiId: 4242, apiHash: 'abc' });
  assert.equal(readConfig({}).telegramListing, undefined);
  for (const name of Object.keys(both) as (keyof typeof both)[])
    assert.throws(() => readConfig({ [name]: both[name] }), /must be set together/);
  assert.throws(() => readConfig({ ...both, LATCHKEY_TELEGRAM_API_ID: '0' }), /must be a whole number/);
});

test('Telegram posts updates only to a reachable URL', () => {
  const webhook = { LATCHKEY_TELEGRAM_UPDATES: 'webhook' };
  assert.equal(readConfig({}).telegramUpdates, 'poll');
  assert.equal(readConfig({ ...webhook, LATCHKEY_BASE_URL: 'https://api.example.org' }).telegramUpdates, 'webhook');
  for (const base of [{}, { LATCHKEY_BASE_URL: 'http://api.example.org' }])
    assert.throws(() => readConfig({ ...webhook, ...base }), /only if LATCHKEY_BASE_URL starts with https/);
  const ownServer = { LATCHKEY_BASE_URL: 'http://latchkey:3000', LATCHKEY_TELEGRAM_API_URL: 'http://bot-api:8081' };
  assert.equal(readConfig({ ...webhook, ...ownServer }).telegramUpdates, 'webhook');
  assert.throws(() => readConfig({ LATCHKEY_TELEGRAM_UPDATES: 'push' }), /must be poll or webhook/);
});

test('WalletConnect is offered only with a project id, and uses the official relay by default', () => {
  assert.equal(readConfig({}).walletConnect, undefined);
  assert.equal(readConfig({ LATCHKEY_WALLETCONNECT_RELAY_URL: 'wss://relay.example' }).walletConnect, undefined);
  const project = { LATCHKEY_WALLETCONNECT_PROJECT_ID: 'abc' };
  const relayUrl = 'wss://relay.walletconnect.org';
  assert.deepEqual(readConfig(project).walletConnect, { projectId: 'abc', relayUrl });
  const own = readConfig({ ...project, LATCHKEY_WALLETCONNECT_RELAY_URL: 'wss://relay.example/' });
  assert.equal(own.walletConnect?.relayUrl, 'wss://relay.example');
  assert.throws(
    () => readConfig({ ...project, LATCHKEY_WALLETCONNECT_RELAY_URL: 'https://relay.example' }),
    /must be a URL that starts with wss:\/\/ or ws:\/\//,
  );
});

test('a slash at the end of the base URL is dropped', () => {
  assert.equal(readConfig({ LATCHKEY_BASE_URL: 'https://api.example.org/' }).baseUrl, 'https://api.example.org');
});

test('the manual lists exactly the variables that are read, with their meaning and defaults', () => {
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

test('the operator sees every setting, of secrets only whether they are set, and of addresses only the host', () => {
  const planted = 'hunter2';
  const samples: Readonly<Record<string, string>> = {
    LATCHKEY_EVM_RPC_URLS: `1=https://${planted}@rpc.example.org/${planted}?key=${planted}`,
    LATCHKEY_PUBLIC_RPC_URLS: `1=https://rpc.example.org/${planted}`,
    LATCHKEY_CHAIN_URLS: `poap=https://poap.example.org/${planted}`,
    LATCHKEY_SERVICE_KEYS: `poap=${planted}`,
    LATCHKEY_REGISTRAR_KEY: `0x${'17'.repeat(32)}`,
    LATCHKEY_WALLET_PAYER_KEY: `0x${'17'.repeat(32)}`,
    DATABASE_URL: `postgres://me:${planted}@db.example.org/latchkey`,
    LATCHKEY_DIRECT_DATABASE_URL: `postgres://me:${planted}@a.example.org:5432,b.example.org:5433/latchkey`,
    LATCHKEY_SMTP_URL: `smtp://me:${planted}@mail.example.org`,
    LATCHKEY_MASTER_KEYS: `a:${planted}`,
    LATCHKEY_SIGNER_MASTER_KEYS: `a:${planted}`,
    ...Object.fromEntries(
      Object.keys(variables)
        .filter((name) => /SECRET|TOKEN$|PRIVATE_KEY/.test(name))
        .map((name) => [name, planted]),
    ),
  };
  const { inForce } = readConfig(samples);
  assert.deepEqual(
    inForce.map(({ name }) => name),
    Object.keys(variables),
  );
  const report = JSON.stringify(inForce);
  for (const secret of [planted, '1717']) assert.ok(!report.includes(secret), secret);
  const shownOf = (name: string) => inForce.find((one) => one.name === name)?.value;
  assert.equal(shownOf('LATCHKEY_EVM_RPC_URLS'), '1=rpc.example.org');
  assert.equal(shownOf('DATABASE_URL'), 'db.example.org');
  assert.equal(shownOf('LATCHKEY_DIRECT_DATABASE_URL'), 'a.example.org:5432, b.example.org:5433');
  assert.equal(shownOf('LATCHKEY_PORT'), '3000');
  const secrets = inForce.filter(({ isMasked }) => isMasked).map(({ name }) => name);
  for (const name of Object.keys(samples).filter((one) => !one.endsWith('URLS') && !one.endsWith('URL')))
    assert.ok(secrets.includes(name), name);
});

test('the operator is warned of dangerous settings only', () => {
  const warned = (environment: Record<string, string>) =>
    readConfig(environment).inForce.flatMap(({ name, warning }) => (warning === undefined ? [] : [name]));
  assert.deepEqual(warned({}), []);
  assert.deepEqual(warned({ LATCHKEY_REMOVAL_QUORUM: '1', LATCHKEY_SIGN_HASHES: 'true' }), [
    'LATCHKEY_REMOVAL_QUORUM',
    'LATCHKEY_SIGN_HASHES',
  ]);
  assert.deepEqual(warned({ LATCHKEY_HOST: '0.0.0.0' }), ['LATCHKEY_BASE_URL']);
  assert.deepEqual(warned({ LATCHKEY_HOST: '0.0.0.0', LATCHKEY_BASE_URL: 'https://latchkey.example' }), []);
});

test('the example of an environment file names every variable, and sets none', () => {
  const file = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
  assert.equal(
    file,
    envExample(),
    'Regenerate it: node -e "import(\'./packages/server/src/env-example.ts\').then((m) => process.stdout.write(m.envExample()))" > .env.example',
  );
  assert.equal(
    file.split('\n').some((line) => line !== '' && !line.startsWith('#')),
    false,
  );
});
