import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { codeOf } from '../harness/error-shape.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/settle-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

const onNear = 'The same request is one transaction by itself: the chain is asked before anything is sent.';

/** Operations that need no key, and why. */
const withoutKey: Readonly<Record<string, string>> = {
  'POST /access-control/check-roles': 'Asks chains; a repetition decides the same again and changes nothing.',
  'POST /account/wallet-address': 'A signed message works once by itself.',
  'POST /analytics/{communityId}/role-distribution': 'Only reads.',
  'POST /analytics/{communityId}/roles-added': 'Only reads.',
  'POST /communities': 'Asks the chat platform; a repetition is a conflict by itself.',
  'POST /discord/guilds/{guildId}/roles': 'Writes on Discord, which no transaction can take back.',
  'POST /discord/webhooks/{interactionId}': 'Writes on Discord, which no transaction can take back.',
  'POST /discord/{guildId}/channels/{channelId}/message': 'Writes on Discord, which no transaction can take back.',
  'POST /reddit/community': 'Asks Reddit; a repetition puts a token where one was.',
  'POST /reddit/wallet-connection-sessions': 'A session too many is forgotten after 15 minutes.',
  'POST /role-manager/check-community-roles': 'Only reads.',
  'POST /role-manager/check-user-roles': 'Only reads.',
  'POST /role-manager/roles': 'Writes on the chat platform; a repetition finds nothing left to change.',
  'POST /role-manager/schedule': 'Asked again, it stays one check.',
  'POST /evm/venly/callback': 'The state works once by itself.',
  'POST /wallet-manager/marketplace-magic-codes': 'A code too many is forgotten after some minutes.',
  'POST /wallet-manager/marketplace-wallet-connections': 'A code works once by itself.',
  'POST /wallet-manager/reset-wallets/{resetToken}': 'A token works once by itself.',
  'POST /wallet-manager/wallet-connections/resume': 'A state works once by itself.',
  'POST /dev-orgs/verify': 'A one-time password works once by itself.',
  'POST /webauthn/authentication/options': 'A challenge too many is forgotten after some minutes.',
  'POST /webauthn/authentication/store': 'A challenge can be answered once.',
  'POST /webauthn/authentication/verify': 'A challenge can be answered once.',
  'POST /webauthn/registration/options': 'A challenge too many is forgotten after some minutes.',
  'POST /webauthn/registration/verify': 'A challenge can be answered once.',
  'POST /ethereum-login/challenges': 'A challenge too many is forgotten after 15 minutes.',
  'POST /ethereum-login/id-tokens': 'A challenge works once by itself.',
  'POST /freshdesk/tickets': 'Asks the help desk, which no transaction can take back; nobody can open many.',
  'POST /hello-action/events': 'Changes nothing.',
  'POST /hello-action/interactions': 'Changes nothing.',
  'POST /near-nft/bridge-tokens/withdraw': onNear,
  'POST /near-nft/market-contracts': onNear,
  'POST /near-nft/market-contracts/accept': onNear,
  'POST /near-nft/market-contracts/buy': onNear,
  'POST /near-nft/market-contracts/get-sale': 'Only reads.',
  'POST /near-nft/market-contracts/remove-sale': onNear,
  'POST /near-nft/market-contracts/sell': onNear,
  'POST /near-nft/market-contracts/update-price': onNear,
  'POST /near-nft/market-contracts/{address}/ft-token-ids': onNear,
  'POST /near-nft/token-contracts': onNear,
  'POST /near-nft/token-contracts/{address}': onNear,
  'POST /near-nft/token-contracts/{address}/token-types': onNear,
  'POST /near-nft/token-contracts/{address}/token-types/unlock': onNear,
  'POST /near-nft/tokens/transfer': onNear,
  'POST /near-nft/users': onNear,
  'POST /oauth2/introspect': 'Only reads.',
  'POST /oauth2/revoke': 'A token that is revoked stays revoked.',
  'POST /oauth2/token': 'By RFC 6749: a code and a refresh token work once by themselves.',
  'POST /pkp/sign-message': 'The same text gets the same signature, and each is counted.',
  'POST /snapshot/communities/{communityId}/space': 'A repetition sets the same channels again.',
  'POST /snapshot/webhook/event': 'An event counts once by its own id.',
  'POST /stripe/donation': 'Asks the payment provider; a checkout too many is forgotten after a day.',
  'POST /stripe/subscription/{planId}': 'Asks the payment provider; a checkout too many is forgotten after a day.',
  'POST /stripe/webhook': 'A message counts once by its own id.',
  'POST /telefrens/biconomy/paymaster-webhook': 'The paymaster asks again for what it pays again.',
  'POST /telefrens/waiting-list/quotes': 'The contract takes one of all quotes.',
  'POST /telefrens/waiting-list/register-kol': 'Who is on the list stays on it.',
  'POST /telegram-pkp/claim': 'A user has one wallet, however often it is claimed.',
  'POST /unlock/subscription/{planId}': 'A checkout too many is forgotten after a day.',
};

describe('an Idempotency-Key', () => {
  let server: TestServer;
  let world: World;
  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
  });
  after(() => server.close());

  async function post(userId: string, key: string, json: unknown) {
    const headers = { authorization: await server.aeToken(userId), 'idempotency-key': key };
    return server.request('POST', '/client-apps', { headers, json });
  }

  async function count(table: 'client_apps' | 'idempotent_requests', column: string, userId: string): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(server.platform.db.system);
    return rows[0]?.count ?? 0;
  }

  const appsOf = (userId: string) => count('client_apps', 'created_by_id', userId);
  const recordsOf = (userId: string) => count('idempotent_requests', 'caller', userId);

  test('makes fifty requests at once create one thing, and all get the same answer', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('at-once', 'k', { name: 'One' })));
    const done = answers.filter(({ status }) => status === 200);
    const waiting = answers.filter(({ status }) => status === 409);
    assert.equal(done.length + waiting.length, 50, answers.find(({ status }) => status !== 200)?.text);
    assert.ok(waiting.every(({ text }) => codeOf(text) === 'IDEMPOTENCY_IN_PROGRESS'));
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    assert.equal(done.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(await appsOf('at-once'), 1);
  });

  test('is refused for another request, and the first stays as it was', async () => {
    const first = await post('reuse', 'k', { name: 'One' });
    const other = await post('reuse', 'k', { name: 'Two' });
    assert.equal(other.status, 422);
    assert.equal(codeOf(other.text), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await post('reuse', 'k', { name: 'One' })).text, first.text);
    assert.equal(await appsOf('reuse'), 1);
  });

  test('belongs to its caller: the same key of somebody else is another', async () => {
    const one = await post('first-caller', 'k', { name: 'One' });
    const two = await post('second-caller', 'k', { name: 'One' });
    assert.notEqual(one.json.id, two.json.id);
    assert.notEqual(one.json.apiKey, two.json.apiKey);
  });

  test('is not used up by a request that fails', async () => {
    const failures = [{ name: 5 }, {}, { name: 'One', redirectUris: ['nowhere'] }, { name: 'One', pk: 'z'.repeat(21) }];
    for (const json of failures) assert.ok((await post('failing', 'k', json)).status >= 400);
    assert.equal(await recordsOf('failing'), 0);
    assert.equal(await appsOf('failing'), 0);
    assert.equal((await post('failing', 'k', { name: 'One' })).status, 200);
    assert.equal(await recordsOf('failing'), 1);
  });

  test('is 1 to 255 printable characters', async () => {
    for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)])
      assert.equal(codeOf((await post('form', key, { name: 'One' })).text), 'INVALID_IDEMPOTENCY_KEY', key);
    assert.equal((await post('form', 'x'.repeat(255), { name: 'One' })).status, 200);
  });

  for (const operation of served.filter(({ contract }) => contract.repeatable)) {
    test(`makes ${operation.route} answer a repetition as it did the first time`, async () => {
      const headers = { ...(await rightCredential(world, operation)), 'idempotency-key': operation.contract.id };
      const draft = sampleRequest(operation, world.samples);
      const first = await visit(server, draft, headers);
      const second = await visit(server, draft, headers);
      assert.equal(first.status, operation.answer.status, first.text);
      assert.deepEqual([second.status, second.text], [first.status, first.text]);
      assert.deepEqual(
        [first, second].map((answer) => answer.headers.get('idempotent-replayed')),
        [null, 'true'],
      );
    });
  }

  test('is offered by every POST, but for those listed here', () => {
    const without = served.filter(({ method, contract }) => method === 'POST' && contract.repeatable !== true);
    assert.deepEqual(without.map(({ route }) => route).sort(), Object.keys(withoutKey).sort());
  });
});
