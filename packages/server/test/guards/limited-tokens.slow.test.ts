import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { issueAeToken } from '@latchkey/core';
import { isOpen as isOpenTo, type Operation, scopes as scopeList } from '@latchkey/kernel';
import { volume } from '@latchkey/test-kit';
import { aliceId } from '../harness/identities.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { isInternalOnly, isMounted, isOperatorOnly, served } from '../harness/served.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';
import { declaredCredentialsSuite } from './declared-credentials.suite.ts';

/** Open to a token of any scope. A new one belongs here only if anyone could read what it returns. */
const harmless = [
  'GET /axie-infinity/rules',
  'GET /communities/plans',
  'GET /communities/plans/{planId}',
  'GET /dev-orgs/plans',
  'GET /dev-orgs/plans/{planId}',
  'GET /ethereum-nfts/{address}/attributes',
  'GET /near-indexer/receipts/{receiptId}',
  'GET /near-indexer/transactions',
  'GET /near-indexer/transactions/{txHash}',
  'GET /near-indexer/{accountId}/ft-contracts',
  'GET /near-indexer/{accountId}/nft-contracts',
  'GET /near-indexer/{contract}/function-calls',
  'GET /near-indexer/{contract}/transactions/{tokenId}',
  'GET /near-indexer/{contract}/transactionsForAccount/{account}',
  'GET /near-indexer/{parentAccount}/accounts',
  'GET /near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}',
  'GET /near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}/{tokenId}',
  'GET /near-nft/market-contracts/{marketContract}/sales/indexes/{indexName}/{indexKey}',
  'GET /near-nft/market-contracts/{marketContract}/sales/sellers/{seller}',
  'GET /near-nft/market-contracts/{marketContract}/sales/token-types/{tokenType}',
  'GET /near-nft/token-collections/{collectionId}',
  'GET /near-nft/token-contracts/{address}',
  'GET /near-nft/tokens/{address}',
  'GET /near-nft/tokens/{address}/{id}',
  'POST /near-nft/market-contracts/get-sale',
];

/** Require no scope, but accept a token with this one, which covers what they do. */
const byScope: Readonly<Record<string, string>> = {
  'GET /communities/{communityId}/subscriptions': 'community:read',
  'GET /discord/{guildId}/guest-passes': 'discord:guild',
  'GET /reddit/is-community-config-set': 'community:read',
  'GET /snapshot/communities/{communityId}/space': 'community:read',
  'GET /telegram-pkp/check-availability': 'user:pkp:read',
  'GET /wallet-manager/wallet-connections': 'user:wallet:read',
  'GET /webauthn/registration/options': 'user:webauthn-credential:write',
  'POST /telegram-pkp/claim': 'user:pkp:claim',
  'POST /webauthn/registration/options': 'user:webauthn-credential:write',
  'POST /webauthn/registration/verify': 'user:webauthn-credential:write',
};

const linkScopes = ['user:wallet:read', 'user:wallet:write'];
const grantable = Object.keys(scopeList).filter((scope) => !scope.startsWith('$'));
const scopesTried = volume(2, grantable.length);

const closed = served.filter(
  (operation) => !isMounted(operation) && !isOpenTo(operation.contract.access) && !isOperatorOnly(operation),
);

/** Whether a user's token with exactly these scopes may call an operation. */
function opens(operation: Operation, held: readonly string[]): boolean {
  const { scopes, roles } = operation.contract.access;
  if (!roles.includes('$user_account')) return false;
  if (scopes.length > 0) return scopes.some((scope) => held.includes(scope));
  return harmless.includes(operation.route) || held.includes(byScope[operation.route] ?? 'none');
}

describe('a token with limited access', () => {
  let world: World;
  let server: TestServer;
  let withoutScopes: Headers;

  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
    const { id } = await server.apiKey([]);
    withoutScopes = { authorization: await server.bearer(aliceId, ['openid'], id) };
    await server.worker.idle();
    await server.worker.stop(5_000);
  });
  after(() => server.close());

  async function send(operation: Operation, headers: Headers) {
    return visit(server, sampleRequest(operation, world.samples), headers);
  }

  /** All tables except the request counters, which count refusals too, and the heartbeats of processes. */
  async function rowsOf() {
    const { rate_windows: _counters, processes: _heartbeats, ...rest } = await fingerprintTables(server);
    return rest;
  }

  /** Sends requests that must be refused, and checks that nothing changed. */
  async function assertRefused(operations: readonly Operation[], headers: Headers): Promise<void> {
    const atFirst = await rowsOf();
    const letIn: string[] = [];
    for (const operation of operations) {
      const { status, json } = await send(operation, headers);
      if (status !== 403 || !['SCOPE_NOT_ALLOWED', 'ROLE_NOT_ALLOWED'].includes(json?.error?.code))
        letIn.push(`${operation.route}: ${status} ${json?.error?.code ?? ''}`);
    }
    assert.deepEqual(letIn, []);
    assert.deepEqual(await rowsOf(), atFirst);
  }

  // Runs here, because the world is set up anyway.
  declaredCredentialsSuite(() => world);

  test('allows without a scope only public reads, and the list of those is closed', () => {
    const declared = served.filter(({ contract: { access } }) => access.limited !== undefined);
    const reasons = declared.filter(({ contract: { access } }) => access.limited && 'harmless' in access.limited);
    assert.deepEqual(reasons.map(({ route }) => route).sort(), harmless);
    const others = declared.flatMap(({ route, contract: { access } }) =>
      access.limited && 'scopes' in access.limited ? [[route, access.limited.scopes.join()]] : [],
    );
    assert.deepEqual(Object.fromEntries(others), byScope);
  });

  test('of an application without any scope, with openid alone, allows nothing else', async () => {
    const refused = closed.filter((operation) => !opens(operation, []));
    assert.ok(refused.length > 100);
    await assertRefused(refused, withoutScopes);
  });

  test('of a link to connect wallets allows only its purpose', async () => {
    const headers = { authorization: await server.aeToken(aliceId, linkScopes) };
    const refused = closed.filter((operation) => !opens(operation, linkScopes) && !isInternalOnly(operation));
    await assertRefused(refused, headers);
    const { status } = await server.request('GET', '/wallet-manager/wallet-connections', { headers });
    assert.equal(status, 200);
  });

  test('of a wallet login on the page of an unrestricted application allows no more than openid does', async () => {
    const { id } = await server.apiKey(['$all']);
    const token = await issueAeToken(server.services, {
      userId: aliceId,
      platform: 'discord',
      scopes: [],
      credential: 'identity-token',
      clientId: id,
      ttlSeconds: 3600,
    });
    await assertRefused(
      closed.filter((operation) => !opens(operation, [])),
      { authorization: `AE ${token}` },
    );
  });

  test('that a member granted a mini-app allows only what was granted', async () => {
    const { id } = await server.apiKey(['$all']);
    const headers = { authorization: await server.bearer(aliceId, ['user:read'], id) };
    await assertRefused(
      closed.filter((operation) => !opens(operation, ['user:read'])),
      headers,
    );
    assert.equal((await server.request('GET', '/account/me', { headers })).status, 200);
  });

  for (const scope of grantable.slice(0, scopesTried)) {
    test(`with the scope ${scope} alone allows no operation that does not require it`, async () => {
      const headers = { authorization: await server.aeToken(aliceId, [scope]) };
      await assertRefused(
        closed.filter((operation) => !opens(operation, [scope]) && !isInternalOnly(operation)),
        headers,
      );
    });
  }

  test('that an application got at a login cannot create a link to take over the account', async () => {
    const answer = await server.request('POST', '/reddit/wallet-connection-sessions', {
      headers: withoutScopes,
      json: { communityId: world.community.id },
    });
    assert.equal(answer.status, 403);
    assert.equal(answer.json.error.code, 'SCOPE_NOT_ALLOWED');
    assert.match(answer.json.error.message, /No scope grants this operation/);
  });
});
