import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { sampleMembers, sampleSpace } from '@latchkey/emulators/sample-world';
import { bound, until } from '@latchkey/test-kit';
import { sampleKeys } from '../../src/sandbox/sample-services.ts';
import { sampleWaitingList } from '../../src/sandbox/with-emulators.ts';
import { type Environment, freePorts, makeDataFolder, startLatchkey, statusOf } from '../harness/processes.ts';
import { environmentFor, stopsCleanly, stopWithinMs, urlOf } from '../harness/whole-latchkey.ts';

async function keyOpens(url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/log/settings`, { headers: { 'x-api-key': key } });
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as unknown[]).length, 1);
}

test('a fresh machine', async (t) => {
  await using folder = await makeDataFolder();
  const mailPort = await freePorts();
  // Reserved last, since the sample community uses the following ports as well.
  const sandboxPort = await freePorts();
  const environment: Environment = {
    LATCHKEY_DATA_DIR: folder.path,
    LATCHKEY_PORT: '0',
    LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
    LATCHKEY_SANDBOX: 'true',
    LATCHKEY_SANDBOX_PORT: String(sandboxPort),
  };
  const roleIsGiven = () =>
    until('a member of the sample community has the role', async () => {
      const answer = await fetch(`http://127.0.0.1:${sandboxPort}/emulator/guilds/100000000000000001`);
      const guild = (await answer.json()) as { members: { roles: string[] }[] };
      return guild.members.some(({ roles }) => roles.includes('Holder'));
    });

  await using first = startLatchkey(['start'], environment);
  const url = await urlOf(first);
  const [, key = ''] = await first.printed(/key, shown only once:\n +(\S+)/);

  await t.test('in an empty folder everything starts, and prints its URLs', async () => {
    const ping = (await (await fetch(`${url}/ping`)).json()) as { message: string };
    assert.equal(ping.message, 'pong');
    const description = (await (await fetch(`${url}/openapi.json`)).json()) as {
      openapi: string;
      servers: { url: string }[];
    };
    assert.match(description.openapi, /^3\.1\./);
    assert.equal(description.servers[0]?.url, url);
    assert.equal(await statusOf(`http://127.0.0.1:${mailPort + 1}/messages`), 200);
    assert.match(first.stdout(), new RegExp(`Description +${url}/openapi.json`));
    assert.match(first.stdout(), new RegExp(`Mails +http://127.0.0.1:${mailPort + 1}/messages`));
    await keyOpens(url, key);
    assert.ok((await readdir(folder.path)).includes('signer-keys'), 'hosted wallets have a signer');
  });
  await t.test('prints one-time links that sign in to the console', async () => {
    assert.match(first.stdout(), new RegExp(`Console +${url}/console`));
    const [, asOwner = ''] = await first.printed(/as the owner of the sample community +(\S+)/);
    const [, asOperator = ''] = await first.printed(/as the operator +(\S+)/);
    const enter = (link: string, method = 'POST') => fetch(link, { method, redirect: 'manual' });
    const whoIs = async (link: string) => {
      for (const method of ['HEAD', 'GET']) assert.equal((await enter(link, method)).status, 200, method);
      const entered = await enter(link);
      assert.deepEqual([entered.status, entered.headers.get('location')], [303, `${url}/console`]);
      const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const answer = await fetch(`${url}/latchkey/session`, { headers: { cookie, 'x-latchkey-console': '1' } });
      return (await answer.json()) as { accountId?: string; isOperator: boolean };
    };
    const owner = await whoIs(asOwner);
    assert.match(owner.accountId ?? '', /^DIS#USER#\d+$/);
    assert.equal((await whoIs(asOperator)).isOperator, true);
    for (const method of ['HEAD', 'GET', 'POST']) assert.equal((await enter(asOwner, method)).status, 404, method);
  });
  await t.test('ends with a community whose roles follow the wallets', async () => {
    await first.printed(/Community +http\S+/);
    await roleIsGiven();
  });
  await t.test('Snapshot, OpenSea, tokenproof and the paymaster work', async () => {
    const at = (steps: number) => `http://127.0.0.1:${sandboxPort + steps}`;
    const fields = new URLSearchParams({ space: sampleSpace.id, title: 'More fish' });
    const proposed = await (await fetch(at(6), { method: 'POST', body: fields })).text();
    assert.match(proposed, /The webhook answered 200/);
    const owner = sampleMembers(1)[0]?.address ?? '';
    const headers = { 'x-api-key': sampleKeys.opensea };
    const profile = await fetch(`${at(7)}/api/v2/accounts/${owner}`, { headers });
    assert.equal(((await profile.json()) as { username?: string }).username, sampleMembers(1)[0]?.name);
    assert.equal(await statusOf(`${at(8)}/responses/unknown`), 404);
    assert.equal(await statusOf(`${url}/tokenproof/authorize?state=unknown`), 404, 'it is set up');
    const ask = async (authToken: string, to: string = sampleWaitingList) => {
      const data = { chainId: 31337, owner, txs: [{ to, value: '0', data: '0x12345678' }], authToken };
      const answer = await fetch(`${url}/telefrens/biconomy/paymaster-webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data }),
      });
      return [answer.status, ((await answer.json()) as { arePoliciesVerified?: boolean }).arePoliciesVerified];
    };
    assert.deepEqual(await ask(sampleKeys.paymaster), [200, true]);
    assert.deepEqual(await ask(sampleKeys.paymaster, owner), [200, false]);
    assert.deepEqual(await ask('guessed'), [401, undefined]);
  });
  await t.test('the sample mini-apps are served', async () => {
    const metadata = `http://127.0.0.1:${sandboxPort + 9}/dice/metadata`;
    await until('they respond', async () => (await statusOf(metadata)) === 200);
  });
  await t.test('Ctrl-C stops it', (subtest) => stopsCleanly(subtest, first, folder, 'SIGINT'));

  await t.test('the next start behaves the same, and does not show the operator’s key again', async (subtest) => {
    await using second = startLatchkey(['start'], environment);
    const newUrl = await urlOf(second);
    assert.doesNotMatch(second.stdout(), /shown only once|migrations to the database/);
    await keyOpens(newUrl, key);
    await second.printed(/Community +http\S+/);
    await roleIsGiven();
    await stopsCleanly(subtest, second, folder, 'SIGTERM');
  });
});

test('Ctrl-C during the first start stops the database being created', async (t) => {
  await using folder = await makeDataFolder();
  await using latchkey = startLatchkey(['start'], await environmentFor(folder));
  await until(
    'the database is being made',
    async () => (await folder.postgresPid()) !== undefined || latchkey.hasEnded(),
  );
  const exit = await latchkey.stop('SIGINT');
  assert.equal(exit.code, 0, latchkey.stderr());
  await bound(t, 'a stop', exit.tookMs, stopWithinMs);
  assert.doesNotMatch(latchkey.stdout(), /Latchkey is running/);
  assert.equal(await folder.postgresPid(), undefined);
});
