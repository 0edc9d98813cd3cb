import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { type CommandLine, startCommandLine } from '../harness/command-line.ts';
import {
  command,
  type DataFolder,
  type Environment,
  freePorts,
  type LatchkeyProcess,
  makeDataFolder,
  startLatchkey,
} from '../harness/processes.ts';
import { doctorSuite } from './doctor.suite.ts';

describe('the operator’s commands, beside a running server', () => {
  let database: TestDatabase;
  let folder: DataFolder;
  let commandLine: CommandLine;
  let environment: Environment;
  let latchkey: LatchkeyProcess;
  let url: string;
  // Created first: they must survive what the other commands do.
  let apiKey: string;
  let authorization: string;

  const tokenFor = (kind: string, user: string, ttlSeconds: string) =>
    ['token', kind, '--user', user, '--reason', 'a test', '--ttl-seconds', ttlSeconds] as const;

  async function start(): Promise<void> {
    latchkey = startLatchkey(['start'], environment);
    await latchkey.printed(/Ctrl-C stops everything/);
  }

  before(async () => {
    database = await createTestDatabase({ name: 'commands', migrate: true });
    folder = await makeDataFolder();
    commandLine = startCommandLine();
    const port = await freePorts();
    const mailPort = await freePorts();
    url = `http://localhost:${port}`;
    environment = {
      DATABASE_URL: database.url,
      LATCHKEY_DATA_DIR: folder.path,
      LATCHKEY_PORT: String(port),
      LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
      LATCHKEY_SIGNER: 'false',
    };
    await start();
    const [made, token] = await Promise.all([
      command(['dev-app', 'Try it'], environment),
      latchkeyCommand(...tokenFor('ae', 'DIS#USER#1', '3600'), '--name', 'One'),
    ]);
    [, apiKey = ''] = /^Client application \S+ is approved\. .* shown only once:\n(\S+)/.exec(made) ?? [];
    authorization = token.trim();
  });
  after(async () => {
    await latchkey[Symbol.asyncDispose]();
    await commandLine[Symbol.asyncDispose]();
    await database.drop();
    await folder[Symbol.asyncDispose]();
  });

  test('open prints a new link that signs the operator in once, and says why where there can be none', async () => {
    const [, link = ''] = /as the operator +(\S+)/.exec(await latchkeyCommand('open')) ?? [];
    assert.ok(link.startsWith(`${url}/console/enter/`), link);
    const press = () => fetch(link, { method: 'POST', redirect: 'manual' });
    const entered = await press();
    assert.deepEqual([entered.status, entered.headers.get('location')], [303, `${url}/console`]);
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const answer = await fetch(`${url}/latchkey/session`, { headers: { cookie, 'x-latchkey-console': '1' } });
    assert.equal(((await answer.json()) as { isOperator: boolean }).isOperator, true);
    assert.equal((await press()).status, 404);
    const elsewhere = { ...environment, LATCHKEY_BASE_URL: 'https://roles.example' };
    const { code, stderr } = await commandLine.run(['open'], elsewhere);
    assert.equal(code, 1);
    assert.match(stderr, /work only on a server with a local address .* https:\/\/roles\.example\/console/);
  });

  test('a backup restores into an empty database and serves from there; a wrong key restores nothing', async () => {
    const file = join(folder.path, 'all.backup');
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    await client.query(
      `insert into hosted_wallets (user_id, platform, id, salt, state, address, chain_id, created_at)
       values ('DIS#USER#9', 'discord', '9', repeat('0', 64), 'made', '0x09', 1, now())`,
    );
    await client.end();
    const written = await latchkeyCommand('backup', file);
    assert.match(written, /Wrote \d+ tables to .*\nStore the master keys separately: .*k1 \(/);
    const restored = await createTestDatabase({ name: 'restored' });
    const there = { ...environment, DATABASE_URL: restored.url };
    const other = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
    const wrong = await commandLine.run(['restore', file], { ...there, LATCHKEY_MASTER_KEYS: other });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /The backup needs the master key k1 \([0-9a-f]{16}\)\. Configured: k1 \(/);
    const done = await commandLine.run(['restore', file], there);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /[1-9]\d* encrypted values verified/);
    assert.match(done.stdout, /^The backup does not include the keys of 1 hosted wallets\. Restore the signer schema/m);
    assert.match((await commandLine.run(['migrate', '--dry-run'], there)).stdout, /^The database is up to date\.$/m);
    const again = await commandLine.run(['restore', file], there);
    assert.match(again.stderr, /The database is not empty/);
    const port = await freePorts();
    await using server = startLatchkey(['server'], { ...there, LATCHKEY_PORT: String(port) });
    await server.printed(/server is running/);
    const kept = await fetch(`http://localhost:${port}/states`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'after the restore' }),
    });
    assert.equal(kept.status, 200, await kept.text());
    await server.stop();
    await restored.drop();
  });

  async function latchkeyCommand(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await commandLine.run(args, environment);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }
  const refused = async (...args: string[]) => {
    const { code, stderr } = await commandLine.run(args, environment);
    assert.equal(code, 1);
    return stderr;
  };

  /** Returns the status of a call, with the response. */
  async function call(method: string, path: string, headers: Record<string, string>, body?: object) {
    const init: RequestInit = { method, headers: { ...headers, 'content-type': 'application/json' } };
    if (body !== undefined) init.body = JSON.stringify(body);
    const answer = await fetch(url + path, init);
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, string>) };
  }

  async function keepState(key: string): Promise<{ status: number; slug: string }> {
    const { status, json } = await call('POST', '/states', { 'x-api-key': key }, { hello: 'world' });
    return { status, slug: json.slug ?? '' };
  }

  async function isKept(slug: string): Promise<boolean> {
    const { status, json } = await call('GET', `/states/${slug}`, {});
    return status === 200 && json.hello === 'world';
  }

  test('dev-app creates a key that works at once', async () => {
    const { status, slug } = await keepState(apiKey);
    assert.equal(status, 200);
    assert.ok(await isKept(slug));
  });

  test('dev-app with redirect URIs creates an application that logs users in', async () => {
    const local = 'http://localhost:5173/callback';
    const [reply, open, noAddress, noType, wrongAddress] = await Promise.all([
      latchkeyCommand('dev-app', 'My site', '--redirect-uri', `${local} https://app.example/cb`, '--scopes', 'openid'),
      latchkeyCommand('dev-app', 'My page', '--redirect-uri', local, '--client-type', 'public'),
      refused('dev-app', 'My page', '--client-type', 'public'),
      refused('dev-app', 'My page', '--redirect-uri', local, '--client-type', 'open'),
      refused('dev-app', 'My page', '--redirect-uri', 'http://app.example/cb'),
    ]);
    assert.match(reply, new RegExp(`^ {2}redirect URIs  ${local} https://app\\.example/cb$`, 'm'));
    const [, id = ''] = /^ {2}client id +(\S+)$/m.exec(reply) ?? [];
    const [, secret = ''] = /^ {2}client secret +(lk_cs_\S+)$/m.exec(reply) ?? [];
    const begin = (fields: Record<string, string>) =>
      fetch(`${url}/oauth2/authorize?${new URLSearchParams({ response_type: 'code', ...fields })}`, {
        redirect: 'manual',
      });
    const request = await begin({ client_id: id, redirect_uri: 'http://127.0.0.1:4000/callback', scope: 'openid' });
    assert.match(request.headers.get('location') ?? '', /\/login\//);
    const proof = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
    const own = await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      headers: proof,
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    assert.equal(own.status, 200);
    assert.match(open, /^ {2}client secret +none; send PKCE with S256$/m);
    assert.match(noAddress, /^Set the address that logins return to with --redirect-uri\.$/m);
    assert.match(noType, /^Unknown client type: open\. Use one of confidential, public\.$/m);
    assert.match(wrongAddress, /redirectUris\/0: Use https/);
  });

  test('a command next to the server needs its folder and its secrets, and no other setting of it', async () => {
    const { DATABASE_URL = '', LATCHKEY_DATA_DIR = '' } = environment;
    const made = await commandLine.run(tokenFor('ae', 'DIS#USER#1', '60'), { DATABASE_URL, LATCHKEY_DATA_DIR });
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await call('GET', '/account/me', { authorization: made.stdout.trim() })).status, 200);
    const lacking = await commandLine.run(['apps'], { LATCHKEY_DATA_DIR });
    assert.equal(lacking.code, 1);
    assert.match(lacking.stderr, /was started with DATABASE_URL\. Set it for this command too/);
    await using elsewhere = await makeDataFolder();
    const keys = await readFile(join(folder.path, 'master-keys'), 'utf8');
    await writeFile(join(elsewhere.path, 'master-keys'), keys);
    const apart = { DATABASE_URL, LATCHKEY_DATA_DIR: elsewhere.path };
    const { stdout, stderr } = await commandLine.run(tokenFor('ae', 'DIS#USER#1', '60'), apart);
    assert.equal((await call('GET', '/account/me', { authorization: stdout.trim() })).status, 200, stderr);
  });

  test('apps shows a pending application, and its key works once it is approved', async () => {
    const { json: app } = await call('POST', '/client-apps', { authorization }, { name: 'Waits' });
    assert.equal((await keepState(app.apiKey ?? '')).status, 401);
    const waiting = await latchkeyCommand('apps', '--status', 'pending');
    assert.match(waiting, new RegExp(`^${app.id} +PENDING +Waits +DIS#USER#1`, 'm'));
    const [reply, complaint] = await Promise.all([
      latchkeyCommand('apps', 'approve', app.id ?? '', '--scopes', 'state:create'),
      refused('apps', 'approve', 'nobody'),
    ]);
    assert.equal(reply, 'Waits is now APPROVED.\n');
    assert.match(complaint, /^Client application not found\.$/m);
    assert.equal((await keepState(app.apiKey ?? '')).status, 200);
  });

  doctorSuite(() => ({ environment, authorization, commandLine, call, latchkeyCommand }));

  test('signing-domains lists the domains an application may request signatures for', async () => {
    const { json: app } = await call('POST', '/client-apps', { authorization }, { name: 'Votes' });
    const id = app.id ?? '';
    const allow = await latchkeyCommand('signing-domains', 'allow', id, 'name:Club', '--notes', 'votes');
    assert.equal(allow, 'The application may now request typed data signatures for name:Club.\n');
    assert.match(await latchkeyCommand('signing-domains', id), new RegExp(`^${id} +name:Club +\\S+ +votes$`, 'm'));
    const [complaint, none] = await Promise.all([
      refused('signing-domains', 'allow', id, 'Club'),
      refused('signing-domains', 'remove', id),
    ]);
    assert.match(complaint, /^Write a domain as contract address/m);
    assert.match(none, /^Missing domain/m);
    await latchkeyCommand('signing-domains', 'remove', id, 'name:Club');
    assert.equal(await latchkeyCommand('signing-domains', id), 'No application may request typed data signatures.\n');
  });

  test('a token of the old signing key stays valid after a rotation, and bearer tokens act as their user', async () => {
    assert.match(await latchkeyCommand('keys', 'rotate', 'jwt'), /^New jwt key \S+\. Signatures of the old key stay/);
    const [fresh, bearer, complaint] = await Promise.all([
      latchkeyCommand(...tokenFor('ae', 'DIS#USER#2', '600')),
      latchkeyCommand(...tokenFor('bearer', 'DIS#USER#2', '600')),
      refused(...tokenFor('ae', 'x', 'long')),
    ]);
    for (const one of [authorization, fresh.trim(), bearer.trim()])
      assert.equal((await call('GET', '/client-apps', { authorization: one })).status, 200);
    assert.match(complaint, /^--ttl-seconds must be a whole number greater than 0\.$/m);
  });

  test('acting as a user needs a reason, lasts at most an hour, and is audited', async () => {
    assert.match(await refused('token', 'ae', '--user', 'DIS#USER#3'), /^Missing --reason/m);
    assert.match(await refused(...tokenFor('ae', 'DIS#USER#3', '3601')), /^--ttl-seconds must be at most 3600/m);
    assert.equal(await latchkeyCommand('audit', '--user', 'DIS#USER#3'), 'No audit entries.\n');
    const token = (await latchkeyCommand(...tokenFor('bearer', 'DIS#USER#3', '60'))).trim();
    const shown = await latchkeyCommand('audit', '--user', 'DIS#USER#3', '--action', 'token.issue');
    assert.match(shown, /^\S+Z +\$command-line\/\S+ +token\.issue +DIS#USER#3 .*a test.*"ttlSeconds":60/m);
    assert.ok(!shown.includes(token.slice('Bearer '.length)));
    assert.match(await refused('audit', '--action', 'dance'), /^Unknown action: dance\. Use one of access\.allow, /m);
    assert.equal(await latchkeyCommand('audit', '--since', '2999-01-01'), 'No audit entries.\n');
    await refused('change-sets', 'approve', 'no-change-set', '--reason', 'in a hurry');
    assert.match(
      await latchkeyCommand('audit', '--limit', '1'),
      /change-set\.approve .*no-change-set .*in a hurry .*"failed":true/,
    );
  });

  test('admin-key creates a key with full access until it is revoked, within its address and time limits', async () => {
    const create = async (...options: string[]) =>
      /^Key (\w+), shown only once:\n(\S+)/.exec(await latchkeyCommand('admin-key', 'create', ...options)) ?? [];
    const status = async (key: string) => (await call('GET', '/log/settings', { 'x-api-key': key })).status;
    const [, id = '', key = ''] = await create('second', '--expires', '1h', '--addresses', '127.0.0.0/8 ::1');
    const [, , elsewhere = ''] = await create('third', '--addresses', '192.0.2.0/24');
    assert.deepEqual([await status(key), await status(elsewhere)], [200, 401]);
    const listed = await latchkeyCommand('admin-key', 'list');
    assert.match(listed, new RegExp(`^${id} +second +usable +\\S+Z +\\S+Z +127\\.0\\.0\\.0/8 ::1$`, 'm'));
    assert.match(listed, /third +usable +\S+Z +never +192\.0\.2\.0\/24$/m);
    assert.ok(!listed.includes(key));
    assert.match(await refused('admin-key', 'create', 'x', '--expires', 'soon'), /^--expires must be a duration/m);
    assert.equal(await latchkeyCommand('admin-key', 'revoke', id), 'Key revoked.\n');
    assert.equal(await status(key), 401);
    assert.match(await latchkeyCommand('audit', '--action', 'admin-key.revoke'), new RegExp(`admin-key.revoke +${id}`));
  });

  test('mails shows what the worker has sent', async () => {
    const request = { name: 'Makers', email: 'maker@example.org' };
    assert.equal((await call('POST', '/dev-orgs', { authorization }, request)).status, 200);
    const mails = await until('the mail is there', async () => {
      const printed = await latchkeyCommand('mails');
      return printed.includes('maker@example.org') && printed;
    });
    assert.match(mails, /The one-time password is \d{6}/);
  });

  test('jobs counts jobs, lists dead ones and retries them', async () => {
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: number }>(
        `insert into jobs (name, payload, state, run_at, last_error, died_at, failures)
         values ('states.remove-expired', '{}', 'dead', now(), 'The disk was full.', now(), 9) returning id`,
      );
      const id = String(rows[0]?.id);
      const [counts, dead] = await Promise.all([
        latchkeyCommand('jobs'),
        latchkeyCommand('jobs', 'dead', '--limit', '5'),
      ]);
      assert.match(counts, /^dead +1$/m);
      assert.match(dead, new RegExp(`^${id} +states\\.remove-expired +9 +The disk was full\\.$`, 'm'));
      assert.equal(await latchkeyCommand('jobs', 'retry', id), '1 jobs will be retried.\n');
      await until(
        'the job has run',
        async () => (await client.query('select from jobs where id = $1', [id])).rowCount === 0,
      );
    } finally {
      await client.end();
    }
    assert.match(await refused('jobs', 'retry', 'everything'), /^Pass the id of a dead job, or all\.$/m);
  });

  test('a new master key can be put in front, and the old one goes once keys rewrap has run', async () => {
    const { slug } = await keepState(apiKey);
    const file = join(folder.path, 'master-keys');
    const old = await readFile(file, 'utf8');
    const fresh = `k2:${Buffer.alloc(32, 42).toString('base64')}\n`;
    assert.equal((await latchkey.stop()).code, 0);
    await writeFile(file, fresh + old);
    await start();
    assert.ok(await isKept(slug));
    assert.match(
      await latchkeyCommand('keys', 'rewrap'),
      /^Re-encrypted [1-9]\d* secrets with the current master key\.\n$/,
    );
    assert.equal(await latchkeyCommand('keys', 'rewrap'), 'Re-encrypted 0 secrets with the current master key.\n');
    assert.equal((await latchkey.stop()).code, 0);
    await writeFile(file, fresh);
    await start();
    assert.ok(await isKept(slug));
  });
});
