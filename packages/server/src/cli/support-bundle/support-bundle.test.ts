import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import pg from 'pg';
import { readConfig, variables } from '../../config.ts';
import { createLogBesideOutput } from '../../log.ts';
import { runSupportBundle } from './run.ts';
import { secretsIn } from './scrub.ts';

const planted = 'hunter2planted';
const nowhere = 'http://127.0.0.1:1';

/** A secret in every setting that can hold one. */
const secretSettings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(variables)
      .filter(([, { shown }]) => shown === undefined)
      .map(([name]) => [name, planted]),
  ),
  LATCHKEY_MASTER_KEYS: `a:${Buffer.from(planted.padEnd(32, 'x')).toString('base64')}`,
  LATCHKEY_SIGNER_MASTER_KEYS: `a:${Buffer.from(planted.padEnd(32, 'x')).toString('base64')}`,
  LATCHKEY_DISCORD_BOT_TOKEN: `a.b.${planted}`,
  LATCHKEY_TELEGRAM_BOT_TOKEN: `1:${planted}`,
  LATCHKEY_NEAR_PRIVATE_KEY: `ed25519:${planted.replace('l', '').padEnd(64, '2')}`,
  LATCHKEY_STRIPE_SECRET_KEY: `sk_test_${planted}`,
  LATCHKEY_STRIPE_WEBHOOK_SECRET: `whsec_${planted}`,
  LATCHKEY_REGISTRAR_KEY: `0x${'17'.repeat(32)}`,
  LATCHKEY_WALLET_PAYER_KEY: `0x${'17'.repeat(32)}`,
  LATCHKEY_SERVICE_KEYS: `opensea=${planted}`,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${planted}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://me:${planted}@collector.example:4318/${planted}`,
  LATCHKEY_SMTP_URL: `smtp://me:${planted}@mail.example`,
  LATCHKEY_EVM_RPC_URLS: `1=${nowhere}/v2/${planted}`,
  LATCHKEY_CHAIN_URLS: `poap=${nowhere}/?key=${planted}`,
  LATCHKEY_DISCORD_CLIENT_ID: '112233445566778899',
  LATCHKEY_TELEGRAM_API_ID: '4242',
  LATCHKEY_REDDIT_CLIENT_ID: 'app',
  LATCHKEY_X_CLIENT_ID: 'app',
  LATCHKEY_MATRIX_HOMESERVER_URL: nowhere,
  LATCHKEY_DISCORD_API_URL: nowhere,
  LATCHKEY_TELEGRAM_API_URL: nowhere,
  LATCHKEY_REDDIT_API_URL: nowhere,
  LATCHKEY_REDDIT_AUTH_URL: nowhere,
  LATCHKEY_X_API_URL: nowhere,
};

describe('the support bundle', () => {
  let database: TestDatabase;
  let folder: string;
  let environment: Record<string, string>;
  const log = createLogBesideOutput({ logLevel: 'error', debugSettings: '' });

  before(async () => {
    database = await createTestDatabase({ name: 'support-bundle', migrate: true });
    folder = await mkdtemp(join(tmpdir(), 'latchkey-bundle-'));
    environment = { ...secretSettings, DATABASE_URL: database.url, LATCHKEY_DATA_DIR: folder };
  });
  after(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const write = async (name: string, given: Record<string, string>, logFile?: string) => {
    const file = join(folder, name);
    await runSupportBundle(readConfig(given), log, { file, logFile, environment: given });
    return { file, text: await readFile(file, 'utf8') };
  };

  test('no secret of any setting is in it, wherever it stood, and it says what was left out', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `insert into jobs (name, payload, state, run_at, failures, last_error, died_at)
       values ('mail.send', $1, 'dead', now(), 3, $2, now())`,
      [JSON.stringify({ to: planted }), `The server refused ${planted} for ann@club.example at 0x${'ab'.repeat(20)}.`],
    );
    await client.end();
    const logFile = join(folder, 'server.log');
    const lines = [
      { level: 30, msg: `Not serious: ${planted}` },
      { level: 40, part: 'http', msg: `GET https://x.example/?key=${planted} from 203.0.113.9`, apiKey: planted },
      { level: 50, part: 'mail', msg: 'Refused.', error: { message: Buffer.from(planted).toString('base64') } },
    ];
    const written = [`foreign ${planted}`, ...lines.map((line) => `server-1  | ${JSON.stringify(line)}`)].join('\n');
    await writeFile(logFile, `${written}\n`);
    const { file, text } = await write('bundle.json', environment, logFile);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    for (const secret of [planted, 'hunter2', '1717171717', Buffer.from(planted).toString('base64').slice(0, 12)])
      assert.ok(!text.includes(secret), text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret) + 40));
    for (const address of ['ann@club.example', 'abababab', '203.0.113.9']) assert.ok(!text.includes(address), address);

    const bundle = JSON.parse(text);
    assert.deepEqual(
      bundle.settings.map(({ name }: { name: string }) => name),
      Object.keys(variables),
    );
    assert.deepEqual(
      bundle.log.map(({ level, part }: { level: number; part: string }) => [level, part]),
      [
        [40, 'http'],
        [50, 'mail'],
      ],
    );
    assert.equal(
      bundle.givenUpJobs[0].lastError,
      'The server refused [removed] for [email address] at [wallet address].',
    );
    assert.match(bundle.database.version, /^PostgreSQL \d/);
    assert.ok(bundle.database.migrations.length > 10);
    assert.ok(bundle.figures.length > 0);
    assert.ok(
      bundle.doctor.some(
        ({ about, level }: { about: string; level: string }) => about === 'path' && level === 'unknown',
      ),
    );
    const leftOut = bundle.leftOut.join('\n');
    for (const said of [/Payloads of jobs/, /1 lines of the log that Latchkey did not write/, /Parts of \d+ texts/])
      assert.match(leftOut, said);
  });

  test('it is written without a database, says why that is missing, and replaces no file', async () => {
    const unreachable = { DATABASE_URL: `postgres://me:${planted}@127.0.0.1:1/latchkey`, LATCHKEY_DATA_DIR: folder };
    const { text } = await write('without.json', unreachable);
    const { leftOut, versions } = JSON.parse(text);
    assert.ok(!text.includes(planted));
    assert.ok(versions.latchkey);
    assert.match(leftOut.join('\n'), /Everything in the database, which could not be opened: .+/);
    assert.match(leftOut.join('\n'), /The log: name a file of it with --log/);
    await assert.rejects(write('without.json', unreachable), /without\.json exists\. Choose a file that does not\./);
  });
});

test('names in settings are no secrets, since the rest of the bundle needs them', () => {
  const secrets = secretsIn(
    {
      DATABASE_URL: 'postgres://latchkey:s3cretpassword@db/latchkey',
      LATCHKEY_CHAIN_URLS: 'solana:mainnet-beta=https://rpc.example/mainnet/k3y0123',
      LATCHKEY_SERVICE_KEYS: 'opensea=k3y9876',
    },
    variables,
  );
  for (const secret of ['s3cretpassword', 'k3y0123', 'k3y9876']) assert.ok(secrets.includes(secret), secret);
  for (const name of ['latchkey', 'mainnet', 'opensea']) assert.ok(!secrets.includes(name), name);
});
