import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { communityKey, contextFor, createCommunity, selectCommunity, userKey, usersOfWallets } from '@latchkey/core';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { sampleGuild, sampleMembers } from '@latchkey/emulators/sample-world';
import { forgetSamples, linkSample, noteSamples, sampleUser } from '../../src/sandbox/index.ts';
import {
  type Environment,
  freePorts,
  type LatchkeyProcess,
  makeDataFolder,
  runLatchkey,
  startLatchkey,
} from '../harness/processes.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('emulators are for trials on one machine', () => {
  describe('a separate server without a bot and with a public address', () => {
    let database: TestDatabase;
    let server: LatchkeyProcess;
    let url: string;

    before(async () => {
      database = await createTestDatabase({ name: 'emulators', migrate: true });
      const port = String(await freePorts());
      const environment: Environment = {
        DATABASE_URL: database.url,
        LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
        LATCHKEY_PORT: port,
        LATCHKEY_BASE_URL: 'https://id.example',
        // Only used by npm start.
        LATCHKEY_SANDBOX: 'true',
      };
      server = startLatchkey(['server'], environment);
      await server.printed(/Latchkey server is running/);
      url = `http://localhost:${port}`;
    });
    after(async () => {
      await server[Symbol.asyncDispose]();
      await database.drop();
    });

    test('reports once what is not configured, and sends no one to an emulator', async () => {
      const lines = server
        .stdout()
        .split('\n')
        .filter((line) => line.includes('Discord is not configured. Set LATCHKEY_'));
      assert.equal(lines.length, 1, server.stdout());
      assert.doesNotMatch(server.stdout(), /127\.0\.0\.1:3040/);
      for (const path of ['/connect', '/login/connect/with/discord', '/login/return/discord']) {
        const answer = await fetch(url + path, { redirect: 'manual' });
        assert.equal(answer.status, 503, path);
        assert.match(await answer.text(), /Discord is not configured\. Set LATCHKEY_DISCORD_CLIENT_ID/, path);
      }
      const config = (await (await fetch(`${url}/config`)).json()) as Record<string, unknown>;
      assert.doesNotMatch(JSON.stringify(config), /400000000000000001/);
    });
  });

  test('the sample community and a public address do not start together', async () => {
    await using folder = await makeDataFolder();
    const { code, stderr } = await runLatchkey(['start'], {
      LATCHKEY_DATA_DIR: folder.path,
      LATCHKEY_PORT: '0',
      LATCHKEY_BASE_URL: 'https://id.example',
      LATCHKEY_SANDBOX: 'true',
    });
    assert.equal(code, 1);
    assert.match(stderr, /LATCHKEY_SANDBOX is true, but LATCHKEY_BASE_URL lets others reach this server/);
    assert.equal(await folder.postgresPid(), undefined);
  });

  describe('a database that had the sample community', () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer();
    });
    after(() => server.close());

    test('loses it with the first start without it: a login with a public key pair is refused', async () => {
      const { services } = server;
      const [member, borrowed] = sampleMembers(2);
      assert.ok(member !== undefined && borrowed !== undefined);
      const operator = contextFor(services, { kind: 'admin', name: 'test' });
      const community = { platform: 'discord' as const, communityId: sampleGuild.id, name: sampleGuild.name };
      await createCommunity(operator, { body: { ...community, ownerId: userKey('discord', sampleGuild.ownerId) } });
      await linkSample(services, sampleUser(member.userId, member.name), member);
      await linkSample(services, sampleUser('77', 'alice'), borrowed);
      const holders = () =>
        Promise.all(
          [member, borrowed].map(
            async ({ address }) => (await usersOfWallets(services.db.system, 'evm', [address]))[0]?.user_id,
          ),
        );
      assert.deepEqual(await holders(), [userKey('discord', member.userId), userKey('discord', '77')]);

      await forgetSamples(services);
      assert.notDeepEqual(await holders(), [undefined, undefined], 'nothing was recorded, so nothing is a sample');

      await noteSamples(services);
      await Promise.all([forgetSamples(services), forgetSamples(services)]);
      assert.deepEqual(await holders(), [undefined, undefined]);
      const id = communityKey('discord', sampleGuild.id);
      assert.equal(await selectCommunity(services.db.system, id), undefined);
      const { rows } = await services.db.pool.query('select from sample_world');
      assert.equal(rows.length, 0);
    });
  });
});
