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

const key = (id: string, byte: number, bytes = 32) => `${id}:${Buffer.alloc(bytes, byte).toString('base64')}`;

/** Wrong settings, each with the setting that its message must name, and what it must say. */
const wrongSettings: readonly (readonly [environment: Record<string, string>, name: string, says: RegExp])[] = [
  [{ LATCHKEY_HOST: 'http://0.0.0.0' }, 'LATCHKEY_HOST', /IP address or a host name/],
  [{ LATCHKEY_HOST: '0.0.0.0:3000' }, 'LATCHKEY_HOST', /without a scheme, a port/],
  [{ LATCHKEY_HOST: '10.0.0.256' }, 'LATCHKEY_HOST', /IP address/],
  [{ LATCHKEY_METRICS_HOST: 'every interface' }, 'LATCHKEY_METRICS_HOST', /IP address/],
  [{ LATCHKEY_PORT: '70000' }, 'LATCHKEY_PORT', /whole number from 0 to 65535/],
  [{ LATCHKEY_PORT: '30 00' }, 'LATCHKEY_PORT', /whole number/],
  [{ LATCHKEY_PORT: '4000', LATCHKEY_METRICS_PORT: '4000' }, 'LATCHKEY_METRICS_PORT', /different ports/],
  [{ LATCHKEY_METRICS_PORT: '3000' }, 'LATCHKEY_METRICS_PORT', /must differ from LATCHKEY_PORT, which is 3000/],
  [{ LATCHKEY_PORT: '3026', LATCHKEY_MAIL_CATCHER_PORT: '3025' }, 'LATCHKEY_MAIL_CATCHER_PORT', /different ports/],
  [{ LATCHKEY_BASE_URL: 'latchkey.example' }, 'LATCHKEY_BASE_URL', /starts with http/],
  [{ LATCHKEY_BASE_URL: 'https://example.org/latchkey' }, 'LATCHKEY_BASE_URL', /must not have a path/],
  [{ LATCHKEY_BASE_URL: 'https://example.org/?a=1' }, 'LATCHKEY_BASE_URL', /a scheme, a host and a port only/],
  [{ LATCHKEY_BASE_URL: '"https://example.org"' }, 'LATCHKEY_BASE_URL', /quotation marks/],
  [{ LATCHKEY_BASE_URL: 'https://example.org ' }, 'LATCHKEY_BASE_URL', /spaces or a line break/],
  [{ LATCHKEY_EXTRA_HOSTS: 'https://other.example' }, 'LATCHKEY_EXTRA_HOSTS', /host names only/],
  [{ LATCHKEY_PORTAL_URL: 'docs.example.org' }, 'LATCHKEY_PORTAL_URL', /starts with http/],
  [{ DATABASE_URL: 'mysql://db.example/latchkey' }, 'DATABASE_URL', /postgres/],
  [{ LATCHKEY_DIRECT_DATABASE_URL: 'postgres://db.example/a' }, 'DATABASE_URL', /must be set too/],
  [{ LATCHKEY_TENANT_DATABASE_URL: 'postgres://db.example/a' }, 'DATABASE_URL', /must be set too/],
  [{ LATCHKEY_DATABASE_CONNECTIONS: '1' }, 'LATCHKEY_DATABASE_CONNECTIONS', /from 4 to 500/],
  [{ LATCHKEY_MASTER_KEYS: 'hunter2' }, 'LATCHKEY_MASTER_KEYS', /an id, a colon and 32 bytes in base64/],
  [{ LATCHKEY_MASTER_KEYS: key('k1', 7, 16) }, 'LATCHKEY_MASTER_KEYS', /32 bytes/],
  [{ LATCHKEY_MASTER_KEYS: key('k1', 0) }, 'LATCHKEY_MASTER_KEYS', /from the examples.*openssl rand/],
  [{ LATCHKEY_MASTER_KEYS: `${key('k1', 7)} ${key('k1', 8)}` }, 'LATCHKEY_MASTER_KEYS', /two master keys.*k1/],
  [{ LATCHKEY_SIGNER_MASTER_KEYS: 's1:short' }, 'LATCHKEY_SIGNER_MASTER_KEYS', /number 1/],
  [{ LATCHKEY_LOG_LEVEL: 'verbose' }, 'LATCHKEY_LOG_LEVEL', /debug, info, warn or error/],
  [{ LATCHKEY_TRUSTED_PROXIES: 'proxy.internal' }, 'LATCHKEY_TRUSTED_PROXIES', /IP addresses and networks/],
  [{ LATCHKEY_TRUSTED_PROXIES: '10.0.0.0/33' }, 'LATCHKEY_TRUSTED_PROXIES', /IP addresses and networks/],
  [{ LATCHKEY_ANONYMOUS_RATE: '50' }, 'LATCHKEY_ANONYMOUS_RATE', /20\/1/],
  [{ LATCHKEY_STRICT_OAUTH: 'yes' }, 'LATCHKEY_STRICT_OAUTH', /true or false/],
  [{ LATCHKEY_TRIAL_SCOPES: 'user:everything' }, 'LATCHKEY_TRIAL_SCOPES', /scopes of docs\/scopes\.md/],
  [{ LATCHKEY_SMTP_URL: 'mail.example.org:25' }, 'LATCHKEY_SMTP_URL', /smtp:/],
  [{ LATCHKEY_MAIL_FROM: 'Latchkey' }, 'LATCHKEY_MAIL_FROM', /email address/],
  [{ LATCHKEY_SUPPORT_EMAIL: 'https://help.example' }, 'LATCHKEY_SUPPORT_EMAIL', /email address/],
  [{ LATCHKEY_DISCORD_CLIENT_ID: 'my-bot' }, 'LATCHKEY_DISCORD_CLIENT_ID', /15 to 21 digits/],
  [{ LATCHKEY_DISCORD_CLIENT_SECRET: 'hunter2' }, 'LATCHKEY_DISCORD_CLIENT_ID', /must be set too/],
  [{ LATCHKEY_DISCORD_BOT_TOKEN: 'Bot a.b.c' }, 'LATCHKEY_DISCORD_BOT_TOKEN', /without "Bot "/],
  [{ LATCHKEY_DISCORD_BOT_TOKEN: 'hunter2' }, 'LATCHKEY_DISCORD_BOT_TOKEN', /three parts/],
  [{ LATCHKEY_DISCORD_PUBLIC_KEY: 'abc' }, 'LATCHKEY_DISCORD_PUBLIC_KEY', /64 hexadecimal digits/],
  [{ LATCHKEY_TELEGRAM_BOT_TOKEN: 'hunter2' }, 'LATCHKEY_TELEGRAM_BOT_TOKEN', /BotFather/],
  [{ LATCHKEY_TELEGRAM_API_ID: '4242' }, 'LATCHKEY_TELEGRAM_API_HASH', /set together/],
  [{ LATCHKEY_REDDIT_CLIENT_ID: 'app' }, 'LATCHKEY_REDDIT_CLIENT_SECRET', /set together/],
  [{ LATCHKEY_MATRIX_ACCESS_TOKEN: 'hunter2' }, 'LATCHKEY_MATRIX_HOMESERVER_URL', /set together/],
  [{ LATCHKEY_X_CLIENT_ID: 'app' }, 'LATCHKEY_X_CLIENT_SECRET', /set together/],
  [{ LATCHKEY_EVM_RPC_URLS: 'https://node.example' }, 'LATCHKEY_EVM_RPC_URLS', /1=https/],
  [{ LATCHKEY_CHAIN_URLS: 'solana:mainnet-beta=node.example' }, 'LATCHKEY_CHAIN_URLS', /solana:mainnet-beta a URL/],
  [{ LATCHKEY_SERVICE_KEYS: 'hunter2' }, 'LATCHKEY_SERVICE_KEYS', /name=value/],
  [{ LATCHKEY_NEAR_ACCOUNT: 'Shop!' }, 'LATCHKEY_NEAR_ACCOUNT', /NEAR account/],
  [{ LATCHKEY_NEAR_PRIVATE_KEY: 'hunter2' }, 'LATCHKEY_NEAR_PRIVATE_KEY', /ed25519:/],
  [
    { LATCHKEY_NEAR_SPEND_PER_DAY: '1', LATCHKEY_NEAR_SPEND_PER_CALLER: '2' },
    'LATCHKEY_NEAR_SPEND_PER_CALLER',
    /must not be greater than LATCHKEY_NEAR_SPEND_PER_DAY/,
  ],
  [{ LATCHKEY_REGISTRY_ADDRESS: `0x${'11'.repeat(20)}` }, 'LATCHKEY_REGISTRY_CHAIN_ID', /must be set too/],
  [{ LATCHKEY_REGISTRAR_KEY: `0x${'00'.repeat(32)}` }, 'LATCHKEY_REGISTRAR_KEY', /above 0/],
  [{ LATCHKEY_WALLET_PAYER_KEY: `0x${'ff'.repeat(32)}` }, 'LATCHKEY_WALLET_PAYER_KEY', /order of secp256k1/],
  [{ LATCHKEY_STRIPE_SECRET_KEY: 'pk_live_hunter2' }, 'LATCHKEY_STRIPE_SECRET_KEY', /publishable/],
  [{ LATCHKEY_STRIPE_WEBHOOK_SECRET: 'whsec_hunter2' }, 'LATCHKEY_STRIPE_SECRET_KEY', /must be set too/],
  [{ LATCHKEY_METRICS_TOKEN: 'two words' }, 'LATCHKEY_METRICS_TOKEN', /without spaces/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' }, 'OTEL_EXPORTER_OTLP_HEADERS', /name=value/],
  [{ LATCHKEY_BASEURL: 'https://example.org' }, 'LATCHKEY_BASEURL', /Did you mean LATCHKEY_BASE_URL\?/],
  [{ LATCHKEY_DISCORD_TOKEN: 'hunter2' }, 'LATCHKEY_DISCORD_TOKEN', /Did you mean LATCHKEY_DISCORD_BOT_TOKEN\?/],
];

for (const [environment, name, says] of wrongSettings)
  test(`${JSON.stringify(environment).replaceAll('"', '')} is refused with the setting and what it must be`, () => {
    assert.throws(
      () => readConfig(environment),
      (error: Error) => {
        assert.match(error.message, new RegExp(`\\b${name}\\b`));
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });

test('an empty setting counts as not set, as deployment files pass it', () => {
  const empty = readConfig(Object.fromEntries(Object.keys(variables).map((name) => [name, ''])));
  assert.deepEqual(empty, readConfig({}));
});

test('an address of every form is accepted where addresses are expected', () => {
  for (const host of ['0.0.0.0', '::', 'localhost', 'box.local', '192.168.0.5'])
    assert.equal(readConfig({ LATCHKEY_HOST: host }).host, host);
  const proxies = '10.0.0.0/8, fd00::/8 127.0.0.1 loopback';
  assert.equal(readConfig({ LATCHKEY_TRUSTED_PROXIES: proxies }).trustedProxies.length, 4);
  for (const from of ['latchkey@localhost', 'Latchkey Club <mail@example.org>'])
    assert.equal(readConfig({ LATCHKEY_MAIL_FROM: from }).mailFrom, from);
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
    ...Object.fromEntries(
      Object.keys(variables)
        .filter((name) => /SECRET|TOKEN$|PRIVATE_KEY/.test(name))
        .map((name) => [name, planted]),
    ),
    LATCHKEY_MASTER_KEYS: `a:${Buffer.from(planted.padEnd(32, 'x')).toString('base64')}`,
    LATCHKEY_SIGNER_MASTER_KEYS: `a:${Buffer.from(planted.padEnd(32, 'x')).toString('base64')}`,
    LATCHKEY_DISCORD_BOT_TOKEN: `a.b.${planted}`,
    LATCHKEY_TELEGRAM_BOT_TOKEN: `1:${planted}`,
    LATCHKEY_NEAR_PRIVATE_KEY: `ed25519:${planted.padEnd(64, '2')}`,
    LATCHKEY_STRIPE_SECRET_KEY: `sk_test_${planted}`,
    LATCHKEY_STRIPE_WEBHOOK_SECRET: `whsec_${planted}`,
    LATCHKEY_METRICS_TOKEN: `${planted}-token`,
    // What those need.
    LATCHKEY_DISCORD_CLIENT_ID: '112233445566778899',
    LATCHKEY_TELEGRAM_API_HASH: planted,
    LATCHKEY_TELEGRAM_API_ID: '4242',
    LATCHKEY_REDDIT_CLIENT_ID: 'app',
    LATCHKEY_X_CLIENT_ID: 'app',
    LATCHKEY_MATRIX_HOMESERVER_URL: 'https://matrix.example.org',
  };
  const { inForce } = readConfig(samples);
  assert.deepEqual(
    inForce.map(({ name }) => name),
    Object.keys(variables),
  );
  const report = JSON.stringify(inForce);
  for (const secret of [planted, '1717', Buffer.from(planted).toString('base64').slice(0, 8)])
    assert.ok(!report.includes(secret), secret);
  const shownOf = (name: string) => inForce.find((one) => one.name === name)?.value;
  assert.equal(shownOf('LATCHKEY_EVM_RPC_URLS'), '1=rpc.example.org');
  assert.equal(shownOf('DATABASE_URL'), 'db.example.org');
  assert.equal(shownOf('LATCHKEY_DIRECT_DATABASE_URL'), 'a.example.org:5432, b.example.org:5433');
  assert.equal(shownOf('LATCHKEY_PORT'), '3000');
  const secrets = inForce.filter(({ isMasked }) => isMasked).map(({ name }) => name);
  for (const name of Object.keys(samples).filter((one) => !/URLS?$|_ID$/.test(one)))
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
