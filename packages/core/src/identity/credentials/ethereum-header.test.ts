import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { EvmSignatures } from '../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { ethereumRequestText, verifyEthereumHeader } from './index.ts';

const refused = { name: 'AppError', code: 'INVALID_CREDENTIAL' };
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stranger = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

/** Wallets with a simpler signature than a curve: the port only has to return the signer. */
function personalSign(wallet: string, text: string): string {
  return `0x${createHmac('sha512', wallet).update(text).digest('hex')}1b`;
}
const evm: EvmSignatures = {
  recoverPersonalSign: (text, signature) =>
    [address, stranger].find((wallet) => personalSign(wallet, text) === signature),
};
const account = { userId: 'DIS#USER#100', platform: 'discord', scopes: ['user:read'] };
const accountsOfWallet = async (wallet: string) => (wallet === address ? [account] : []);
const wallets = { signatures: evm, accountsOfWallet, acceptsFixedText: true };

/** The published payload: its signature never changes. */
const fixed = (wallet = address) => ({
  address: wallet,
  signature: personalSign(wallet, 'api.collab.land'),
  sub: wallet,
});

/** The envelope as existing clients create it, without our own code. */
function envelope(payload: object, { alg = 'HS256', key = 'api.collab.land' } = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg, typ: 'JWT' })}.${part(payload)}`;
  return `${signed}.${createHmac(alg.replace('HS', 'sha'), key).update(signed).digest('base64url')}`;
}

describe('the Ethereum header', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('ethereum-header');
  });
  after(() => t.close());

  const request = { method: 'GET', path: '/account/me?fields=name' };

  function prove({ wallet = address, baseUrl = t.services.settings.baseUrl, shiftSeconds = 0, ...rest } = {}) {
    const issuedAt = new Date(t.services.clock().getTime() + shiftSeconds * 1000).toISOString();
    const signed = { ...request, issuedAt, nonce: t.services.random.id(16), ...rest };
    return { address: wallet, signature: personalSign(wallet, ethereumRequestText({ baseUrl, ...signed })), ...signed };
  }
  const verify = (token: string, sent = request) =>
    verifyEthereumHeader(t.services, token, sent, { ...wallets, acceptsFixedText: false });

  test('a wallet that signs in and signed this request acts as its user, with presence', async () => {
    const user = {
      kind: 'user',
      ...account,
      credential: 'wallet-signature',
      presence: { how: 'wallet', at: t.services.clock() },
    };
    assert.deepEqual(await verify(envelope(prove())), user);
    assert.deepEqual(await verify(envelope({ ...prove(), address: address.toLowerCase(), sub: address })), user);
  });

  test('a wallet that signs in to several accounts acts as none of them, and is told how to choose', async () => {
    const both = async () => [account, { ...account, userId: 'DIS#USER#101' }];
    const requested = { code: 'INVALID_CREDENTIAL', message: /several accounts. Choose one with POST/ };
    const forged = { ...prove(), signature: `0x${'11'.repeat(65)}` };
    const shared = { ...wallets, accountsOfWallet: both };
    for (const proof of [prove(), fixed()])
      await assert.rejects(verifyEthereumHeader(t.services, envelope(proof), request, shared), requested);
    await assert.rejects(verifyEthereumHeader(t.services, envelope(forged), request, shared), refused);
  });

  test('where the operator accepts the published text, it grants read access, and proves no presence', async () => {
    const open = (payload: object, scopes = ['$all']) =>
      verifyEthereumHeader(t.services, envelope(payload), request, {
        ...wallets,
        accountsOfWallet: async (wallet) => (wallet === address ? [{ ...account, scopes }] : []),
      });
    const { scopes, ...user } = await open(fixed());
    assert.deepEqual(user, { ...user, userId: account.userId, credential: 'fixed-text-signature' });
    assert.equal(user.presence, undefined);
    assert.ok(['user:read', 'user:wallet:read', 'token-gating'].every((scope) => scopes.includes(scope)));
    assert.deepEqual(
      scopes.filter((scope) => /^\$|write|sign|claim|manager|create/.test(scope)),
      [],
    );
    assert.deepEqual((await open(fixed(), ['user:read', 'user:wallet:write'])).scopes, ['user:read']);
    // It can be reused, as the clients that send it do.
    assert.equal((await open({ ...fixed(), sub: undefined, iat: 1 })).userId, account.userId);

    const { signature } = fixed();
    for (const wrong of [
      fixed(stranger),
      { ...fixed(stranger), signature },
      { ...fixed(), sub: stranger },
      { ...fixed(), sub: 5 },
      { ...fixed(), signature: personalSign(address, 'api.collab.land ') },
      { ...fixed(), exp: 1 },
      { address },
      { signature },
      {},
      // Naming a request makes it the bound form, which signs another text.
      { ...prove(), signature },
      { ...fixed(), nonce: t.services.random.id(16) },
    ])
      await assert.rejects(open(wrong), refused, JSON.stringify(wrong));
    await assert.rejects(verify(envelope(fixed())), refused);
    // And a signature of a request is not valid for the published text.
    await assert.rejects(open({ address, signature: prove().signature }), refused);
  });

  test('the text a wallet shows names server, method, path, time and nonce', () => {
    const { issuedAt, nonce } = prove();
    const text = ethereumRequestText({ baseUrl: 'http://latchkey.test', ...request, issuedAt, nonce });
    for (const part of ['http://latchkey.test', 'GET', '/account/me?fields=name', issuedAt, nonce])
      assert.ok(text.includes(part));
  });

  test('a proof is valid for its own method and path only', async () => {
    await assert.rejects(verify(envelope(prove()), { ...request, method: 'DELETE' }), refused);
    await assert.rejects(verify(envelope(prove()), { ...request, path: '/account/me' }), refused);
    const relabelled = { ...prove(), path: '/account/me' };
    await assert.rejects(verify(envelope(relabelled), { ...request, path: '/account/me' }), refused);
  });

  test('a proof is valid for five minutes on either side', async () => {
    for (const shiftSeconds of [-300, 300]) await verify(envelope(prove({ shiftSeconds })));
    for (const shiftSeconds of [-301, 301, 86_400])
      await assert.rejects(verify(envelope(prove({ shiftSeconds }))), refused);
    const backdated = { ...prove({ shiftSeconds: -400 }), issuedAt: t.services.clock().toISOString() };
    await assert.rejects(verify(envelope(backdated)), refused);
  });

  test('of fifty parallel uses of one proof exactly one succeeds', async () => {
    const token = envelope(prove());
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => verify(token)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
    t.advanceSeconds(299);
    await assert.rejects(verify(token), refused);
  });

  test('a failed attempt consumes the nonce, whatever the case of the address', async () => {
    const proof = prove();
    await assert.rejects(verify(envelope({ ...proof, signature: personalSign(address, 'something else') })), refused);
    await assert.rejects(verify(envelope(proof)), refused);
    await assert.rejects(verify(envelope({ ...proof, address: address.toLowerCase() })), refused);
  });

  test('no one can consume a nonce of another wallet', async () => {
    const proof = prove();
    await assert.rejects(verify(envelope({ ...proof, address: stranger })), refused);
    assert.equal((await verify(envelope(proof))).userId, account.userId);
  });

  test('a signature from another wallet, for another server or from an unlinked wallet is refused', async () => {
    await assert.rejects(verify(envelope({ ...prove({ wallet: stranger }), address })), refused);
    await assert.rejects(verify(envelope(prove({ baseUrl: 'http://other.test' }))), refused);
    await assert.rejects(verify(envelope(prove({ wallet: stranger }))), refused);
  });

  test('fields of the wrong form are refused before anything is written', async () => {
    const rows = () => t.services.db.system.selectFrom('used_nonces').selectAll().execute();
    const before = await rows();
    const wrong: object[] = [
      { nonce: 'short' },
      { nonce: 'x'.repeat(65) },
      { nonce: `${'x'.repeat(16)}\n` },
      { nonce: 16 },
      { issuedAt: 'now' },
      { issuedAt: '2026-99-99T99:99:99Z' },
      { issuedAt: t.services.clock().getTime() },
      { address: '0x12' },
      { address: undefined },
      { signature: '0x' },
      { signature: undefined },
      { method: undefined },
      { path: undefined },
    ];
    for (const field of wrong) {
      await assert.rejects(verify(envelope({ ...prove(), ...field })), refused, JSON.stringify(field));
    }
    assert.deepEqual(await rows(), before);
  });

  test('an unexpected envelope is refused', async () => {
    const proof = prove();
    const token = envelope(proof);
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    const wrong = [envelope(proof, { key: 'another key' }), envelope(proof, { alg: 'HS512' }), none];
    const broken = ['', '..', `${token} `, `${token}=`, 'x.y.z', `${token}${'A'.repeat(9000)}`];
    for (const one of [...wrong, ...broken]) await assert.rejects(verify(one), refused, one.slice(0, 40));
    assert.equal((await verify(token)).userId, account.userId);
  });
});
