import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkRoles } from '../../gating/access-control/check-roles.ts';
import { createDevelopmentApp, decideClientApp } from '../../identity/client-apps/index.ts';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { listWallets } from '../../identity/wallets/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { listSignInWallets, switchOff, switchOn } from '../../surfaces/login-methods/wallet-sign-in.ts';
import { nobody, operator, type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import { unlinkWallet } from '../wallet-links/index.ts';
import { getChallenge, loginBySiwe } from './operations.ts';

const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const other = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const accountId = `evm:1:${address}`;

describe('ethereum login', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('ethereum-login');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const challenge = async (body = {}) => {
    const { requestId = '', message = '', state } = await getChallenge(t.as(nobody), { body: { accountId, ...body } });
    return { requestId, message, state };
  };
  const logIn = (requestId: string, signature: string, more = {}) =>
    loginBySiwe(t.as(nobody), { body: { requestId, signature, ...more } });
  const refusedWith = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

  test('a wallet that signs its challenge is signed in as itself', async () => {
    const { requestId, message, state } = await challenge({ state: 'mine' });
    assert.equal(state, 'mine');
    const { idToken } = await logIn(requestId, testSignature(address, message));
    const { sessionId: _id, ...actor } = await verifyAeToken(t.services, idToken);
    assert.deepEqual(actor, {
      kind: 'user',
      userId: `ETH#USER#${address}`,
      platform: 'ethereum',
      name: address,
      scopes: ['$all'],
      credential: 'wallet-session',
      presence: { how: 'wallet', at: t.services.clock() },
    });
  });

  test('a wallet linked to a user proves the link, and signs in as that user only if the user allows it', async () => {
    await t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: 'w1',
        user_id: 'DIS#USER#7',
        platform: 'discord',
        user_name: 'seven',
        namespace: 'evm',
        address: other,
        created_at: t.services.clock(),
      })
      .execute();
    const signIn = async () => {
      const { requestId, message } = await challenge({ accountId: `evm:1:${other}` });
      const { idToken } = await logIn(requestId, testSignature(other, message));
      const { userId, scopes } = await verifyAeToken(t.services, idToken);
      return [userId, scopes];
    };
    assert.deepEqual(await signIn(), [`ETH#USER#${other}`, ['$all']]);
    await t.services.db.system
      .updateTable('wallet_connections')
      .set({ signs_in_since: t.services.clock(), scopes: ['user:read'] })
      .where('id', '=', 'w1')
      .execute();
    assert.deepEqual(await signIn(), ['DIS#USER#7', ['user:read']]);
  });

  test('the account that a wallet signs in to has that wallet, and roles are checked with it', async () => {
    const shared = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
    // Linked to two accounts, it signs in to neither, but still to its own.
    for (const id of ['8', '9'])
      await t.services.db.system
        .insertInto('wallet_connections')
        .values({
          id: `w${id}`,
          user_id: `DIS#USER#${id}`,
          platform: 'discord',
          user_name: null,
          namespace: 'evm',
          address: shared,
          created_at: t.services.clock(),
        })
        .execute();
    const signIn = async () => {
      const { requestId, message } = await challenge({ accountId: `evm:31337:${shared}` });
      const { idToken } = await logIn(requestId, testSignature(shared, message));
      return verifyAeToken(t.services, idToken);
    };
    const actor = await signIn();
    await signIn();
    const { items } = await listWallets(t.as(actor), {});
    assert.deepEqual(
      items.map(({ pk, accountId: linked, sk }) => [pk, linked, sk]),
      [[`ETH#USER#${shared}`, `evm:31337:${shared}`, `WALLET#${shared}`]],
    );

    const coin = '0x00000000000000000000000000000000000000c1';
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account: shared }, '5');
    const rules = [{ type: 'ERC20', chainId: 1, contractAddress: coin, minToken: '5', roleId: 'holder' }];
    for (const body of [{ rules }, { rules, account: shared }, { rules, account: `evm:1:${shared}` }])
      assert.deepEqual((await checkRoles(t.as(actor), { body })).roles, [{ id: 'holder', granted: true }]);
  });

  test('a wallet account’s own wallet always signs in to it, and is restored when it was unlinked', async () => {
    const own = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
    const signIn = async () => {
      const { requestId, message } = await challenge({ accountId: `evm:1:${own}` });
      const { idToken } = await logIn(requestId, testSignature(own, message));
      return verifyAeToken(t.services, idToken);
    };
    const actor = await signIn();
    const [wallet] = await listSignInWallets(t.as(actor));
    assert.equal(wallet?.signsIn, true);
    const id = wallet?.id ?? '';
    assert.equal((await switchOn(t.as(actor), { id })).signsIn, true);
    await assert.rejects(switchOff(t.as(actor), { id }), refusedWith('STATE_CONFLICT'));
    await unlinkWallet(t.as(actor), own, async () => undefined);
    assert.deepEqual(await listSignInWallets(t.as(actor)), []);
    assert.equal((await signIn()).userId, actor.userId);
    assert.equal((await listSignInWallets(t.as(actor))).length, 1);
  });

  test('the message contains page, account, chain, nonce and times', async () => {
    const { message } = await challenge({
      accountId: `eip155:137:${address}`,
      resources: ['https://latchkey.test/terms'],
    });
    assert.match(
      message,
      /^latchkey\.test wants you to sign in with your Ethereum account:\n0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266\n\n[^\n]+\n\nURI: http:\/\/latchkey\.test\/\nVersion: 1\nChain ID: 137\nNonce: [A-Za-z0-9]{24}\nIssued At: 2026-01-15T12:00:00\.000Z\nExpiration Time: 2026-01-15T12:15:00\.000Z\nRequest ID: [0-9a-f]{16}\nResources:\n- https:\/\/latchkey\.test\/terms$/,
    );
  });

  test('a challenge works once, even after a failed attempt', async () => {
    const { requestId, message } = await challenge();
    await assert.rejects(logIn(requestId, 'wrong'), refusedWith('INVALID_CREDENTIAL'));
    await assert.rejects(logIn(requestId, testSignature(address, message)), refusedWith('INVALID_CREDENTIAL'));
  });

  test('of fifty parallel tries with one challenge exactly one succeeds', async () => {
    const { requestId, message } = await challenge();
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => logIn(requestId, testSignature(address, message))),
    );
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  test('a challenge is refused after 15 minutes', async () => {
    const { requestId, message } = await challenge();
    t.advanceSeconds(15 * 60 + 1);
    await assert.rejects(logIn(requestId, testSignature(address, message)), refusedWith('INVALID_CREDENTIAL'));
  });

  test('a signature of another account or for another challenge is refused', async () => {
    const first = await challenge();
    await assert.rejects(
      logIn(first.requestId, testSignature(other, first.message)),
      refusedWith('INVALID_CREDENTIAL'),
    );
    const [second, third] = [await challenge(), await challenge()];
    await assert.rejects(
      logIn(second.requestId, testSignature(address, third.message)),
      refusedWith('INVALID_CREDENTIAL'),
    );
    await assert.rejects(
      logIn(third.requestId, testSignature(address, third.message), { accountId: `evm:1:${other}` }),
      refusedWith('INVALID_CREDENTIAL'),
    );
  });

  test('a signature of a message with another word is refused', async () => {
    const changes: Record<string, [found: RegExp, other: string]> = {
      domain: [/^latchkey\.test/, 'evil.example'],
      account: [/0x[0-9a-f]{40}/, other],
      URI: [/URI: .+/, 'URI: http://evil.example/'],
      chain: [/Chain ID: 1/, 'Chain ID: 10'],
      nonce: [/Nonce: \w+/, 'Nonce: aaaaaaaaaaaaaaaaaaaaaaaa'],
      'time of issue': [/Issued At: .+/, 'Issued At: 2020-01-01T00:00:00.000Z'],
      'time of expiry': [/Expiration Time: .+/, 'Expiration Time: 2099-01-01T00:00:00.000Z'],
      request: [/Request ID: \w+/, 'Request ID: 0000000000000000'],
      resources: [/- .+/, '- https://evil.example/'],
    };
    for (const [word, [found, instead]] of Object.entries(changes)) {
      const { requestId, message } = await challenge({ resources: ['https://latchkey.test/terms'] });
      const spoilt = message.replace(found, instead);
      assert.notEqual(spoilt, message, word);
      await assert.rejects(logIn(requestId, testSignature(address, spoilt)), refusedWith('INVALID_CREDENTIAL'), word);
    }
  });

  test('a challenge without an account needs one with the signature', async () => {
    const body = { body: {} };
    const { requestId = '', message = '' } = await getChallenge(t.as(nobody), body);
    assert.match(message, /^latchkey\.test asks you to sign in\.\n/);
    const { idToken } = await logIn(requestId, testSignature(address, message), { accountId });
    assert.ok(idToken);
    const again = await getChallenge(t.as(nobody), body);
    await assert.rejects(logIn(again.requestId ?? '', 'x'), refusedWith('VALIDATION_FAILED'));
  });

  test('an unavailable chain is not a refusal', async () => {
    const { requestId } = await challenge();
    await assert.rejects(logIn(requestId, 'no answer'), refusedWith('UNAVAILABLE'));
  });

  test('only this server and pages of approved applications may request, and get no more than the application may do', async () => {
    await assert.rejects(challenge({ uri: 'https://evil.example/login' }), refusedWith('VALIDATION_FAILED'));
    await assert.rejects(
      challenge({ uri: 'http://latchkey.test/x', domain: 'bank.example' }),
      refusedWith('VALIDATION_FAILED'),
    );
    await assert.rejects(challenge({ uri: 'http://user@latchkey.test/' }), refusedWith('VALIDATION_FAILED'));
    const app = await createDevelopmentApp(t.as(operator), {
      userId: 'DIS#USER#1',
      name: 'Page',
      scopes: ['user:read', '$internal'],
    });
    await t.services.db.system
      .updateTable('client_apps')
      .set({ allowed_origins: ['https://page.example'] })
      .where('id', '=', app.id ?? '')
      .execute();
    const { requestId, message } = await challenge({ uri: 'https://page.example/login', domain: 'page.example' });
    assert.match(message, /^Sign in to Page with this wallet\./m);
    const { idToken } = await logIn(requestId, testSignature(address, message));
    const findClient = async (id: string) => ({ id, name: 'Page', allowedScopes: ['user:read'], disallowedScopes: [] });
    const { scopes, credential, client } = await verifyAeToken(t.services, idToken, findClient);
    assert.deepEqual([scopes, credential, client?.id], [[], 'identity-token', app.id]);
    await decideClientApp(t.as(operator), { id: app.id ?? '', decision: 'revoke' });
    await assert.rejects(challenge({ uri: 'https://page.example/login' }), refusedWith('VALIDATION_FAILED'));
  });

  test('a resource cannot inject lines into the message', async () => {
    for (const resource of ['https://x.example/\nChain ID: 5', 'no uri', 'javascript:\u2028x', '']) {
      await assert.rejects(challenge({ resources: [resource] }), refusedWith('VALIDATION_FAILED'));
    }
  });

  test('an invalid account is refused', async () => {
    for (const wrong of [
      'evm:1:0x12',
      `solana:1:${address}`,
      `evm:0:${address}`,
      `evm:1:${address}\n`,
      `evm:${address}`,
      'x',
    ]) {
      await assert.rejects(challenge({ accountId: wrong }), refusedWith('VALIDATION_FAILED'));
    }
  });

  test('the table holds no request id', async () => {
    const { requestId } = await challenge();
    const rows = await t.services.db.system.selectFrom('wallet_challenges').selectAll().execute();
    assert.ok(rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(requestId));
  });
});
