import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage } from 'viem/siwe';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

// The first account of the well-known test mnemonic, which is public.
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

describe('signing in with an Ethereum wallet', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  test('a wallet signs in over HTTP and uses its token', async () => {
    const challenge = await server.request('POST', '/ethereum-login/challenges', {
      json: { accountId: `evm:1:${account.address}`, state: 's' },
    });
    assert.equal(challenge.status, 200);
    const { requestId, message } = challenge.json;
    const parsed = parseSiweMessage(message);
    assert.deepEqual(
      [parsed.address, parsed.chainId, parsed.domain, parsed.version],
      [account.address, 1, new URL(server.url).host, '1'],
    );
    const signature = await account.signMessage({ message });
    const login = await server.request('POST', '/ethereum-login/id-tokens', { json: { requestId, signature } });
    assert.equal(login.status, 200);
    const orgs = await server.request('GET', '/dev-orgs', { headers: { authorization: `AE ${login.json.idToken}` } });
    assert.deepEqual([orgs.status, orgs.json], [200, []]);
    const again = await server.request('POST', '/ethereum-login/id-tokens', { json: { requestId, signature } });
    assert.deepEqual([again.status, again.json.error.code], [401, 'INVALID_CREDENTIAL']);
  });

  test('a signature of another wallet is refused', async () => {
    const challenge = await server.request('POST', '/ethereum-login/challenges', {
      json: { accountId: 'evm:1:0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    });
    const signature = await account.signMessage({ message: challenge.json.message });
    const login = await server.request('POST', '/ethereum-login/id-tokens', {
      json: { requestId: challenge.json.requestId, signature },
    });
    assert.equal(login.status, 401);
  });
});
