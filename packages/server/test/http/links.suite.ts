import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor, createConnectLink } from '@latchkey/core';
import { fingerprintTables } from '../harness/read-tables.ts';
import { signer } from '../harness/sample-logins.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { openBrowser } from '../oauth/browser.ts';

/** Tables that change with every request or with time. */
const ofTheServer = ['kept_secrets', 'processes', 'rate_windows'];

/** A link that is sent to users: its path, and its use by the intended user. */
interface Link {
  path: string;
  /** Undefined if a link can be used any number of times until it expires. */
  use?: () => Promise<number>;
}

describe('http: links sent to users', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      LATCHKEY_DISCORD_CLIENT_ID: '100000000000000001',
      LATCHKEY_DISCORD_CLIENT_SECRET: 'secret',
      LATCHKEY_DISCORD_API_URL: 'http://127.0.0.1:9',
    });
    // Without the worker, only the requests themselves can change a row.
    await server.worker.idle();
    await server.worker.stop(5_000);
  });
  after(() => server.close());

  const pathOf = (address: string) => address.slice(new URL(address).origin.length);

  /** Every kind of link. The links of `npm start` are in src/console/enter.test.ts: only that command serves them. */
  const kinds: Record<string, () => Promise<Link>> = {
    'a link to connect wallets': async () => {
      const system = contextFor(server.services, { kind: 'system', job: 'test' });
      const person = { userId: 'DIS#USER#1', platform: 'discord' };
      return { path: pathOf((await createConnectLink(system, person, { withPasskeys: false })).url) };
    },
    'a link that carries a sign-in to another browser': async () => {
      const base = '/latchkey/handoffs';
      const { json } = await server.request('POST', base, { json: { purpose: 'sign-in' } });
      const path = pathOf(json.url);
      const ticket = path.split('/').at(-1);
      const accountId = `evm:1:${signer.address}`;
      return {
        path,
        use: async () => {
          const { json: requested } = await server.request('POST', `${base}/message`, { json: { ticket, accountId } });
          const signature = await signer.signMessage({ message: requested.message });
          const proof = { ticket, accountId, state: String(requested.state), signature };
          return (await server.request('POST', `${base}/proof`, { json: proof })).status;
        },
      };
    },
    'a short link': async () => {
      const { key } = await server.apiKey(['state:create']);
      const { json } = await server.request('POST', '/states', {
        headers: { 'x-api-key': key },
        json: { hello: 'world' },
      });
      return {
        path: `/slugs/${json.slug}`,
        use: async () => (await server.request('GET', `/states/${json.slug}`)).status,
      };
    },
    'the way back from signing in with a chat platform': async () => {
      const browser = openBrowser(server);
      const { location } = await browser.get('/login/console/with/discord');
      const state = new URL(location).searchParams.get('state') ?? '';
      const path = `/login/return/discord?state=${state}&error=access_denied`;
      // Discord was not called, so this refusal shows that the attempt was still open for this browser.
      return {
        path,
        use: async () =>
          (await browser.get(path)).text.includes('You did not approve the login on Discord') ? 200 : 404,
      };
    },
  };

  async function readTables(): Promise<Record<string, string>> {
    const tables = Object.entries(await fingerprintTables(server));
    return Object.fromEntries(tables.filter(([name]) => !ofTheServer.includes(name)));
  }

  for (const [kind, make] of Object.entries(kinds))
    test(`${kind} is not consumed by a link preview`, async () => {
      const { path, use } = await make();
      const before = await readTables();
      for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
        const answer = await server.request(method, path, { headers: { accept: 'text/html' } });
        assert.ok(answer.status < 500, `${method} ${path}: ${answer.status}`);
      }
      assert.deepEqual(await readTables(), before);
      if (use !== undefined) assert.equal(await use(), 200);
    });
});
