import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contextFor, ethereumRequestText, issueAeToken } from '@latchkey/core';
import { walletRegistryAbi } from '@latchkey/emulators/evm-chain';
import { createPublicClient, getAddress, type Hex, http, verifyMessage, verifyTypedData } from 'viem';
import { type OutsideWorld, outsideWorld } from '../harness/outside-world.ts';
import { newDevice, registerPasskey } from '../harness/passkeys.ts';
import { connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { startTestSigner } from '../harness/start-signer.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { aboutHostedWallets } from './sdk-resources.ts';
import { turns } from './turns.ts';

const vote = {
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], Vote: [{ name: 'choice', type: 'uint8' }] },
  primaryType: 'Vote',
  domain: { name: 'Club' },
  message: { choice: 2 },
} as const;

turns.describe('contract: sdk, hosted wallets', () => {
  let outside: OutsideWorld;
  let server: TestServer;
  let signer: { stop(): Promise<void> };
  let asPerson: Sdk;
  let asOther: Sdk;
  let onTelegram: Sdk;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    outside = await outsideWorld();
    server = await startTestServer({ ...outside.environment, LATCHKEY_STEP_UP_REST_HOURS: '0' });
    signer = await startTestSigner(server);
    const signedIn = async (userId: string, platform: string) => {
      const person = { userId, platform, scopes: ['$all'], credential: 'chat-session', ttlSeconds: 600 } as const;
      const token = await issueAeToken(contextFor(server.services, { kind: 'admin', name: 'test' }), person);
      return connectSdk(server, { authenticatedEncryption: `AE ${token}` });
    };
    asPerson = await signedIn('DIS#USER#501', 'discord');
    asOther = await signedIn('DIS#USER#502', 'discord');
    onTelegram = await signedIn('TEL#USER#503', 'telegram');
  });
  after(async () => {
    await signer?.stop();
    await server?.close();
  });

  test('a wallet is claimed, registered on the chain, and signs what anyone can verify', async () => {
    await assert.rejects(call(asPerson, 'GET /users/me/pkp'), refusedWith(404, 'ENTITY_NOT_FOUND'));
    const { pkp, txHash } = await call(asPerson, 'PUT /users/me/pkp');
    const address: Hex = pkp.ethAddress;
    const client = createPublicClient({ transport: http(outside.chain.url) });
    assert.equal((await client.waitForTransactionReceipt({ hash: txHash })).status, 'success');
    const registry = getAddress(outside.environment.LATCHKEY_REGISTRY_ADDRESS ?? '');
    const claim = { address: registry, abi: walletRegistryAbi, functionName: 'claimOf', args: [address] } as const;
    assert.notEqual(BigInt((await client.readContract(claim))[0]), 0n);
    assert.deepEqual(await call(asPerson, 'PUT /users/me/pkp'), { pkp, txHash });
    assert.deepEqual(await call(asPerson, 'GET /users/me/pkp'), pkp);

    const message = 'I agree.';
    const signed = await call(asPerson, 'POST /pkp/sign-message', { address, message });
    assert.ok(await verifyMessage({ address, message, signature: signed.signature }));
    await assert.rejects(
      call(asOther, 'POST /pkp/sign-message', { address, message }),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
  });

  test('typed data is signed when a passkey has approved it, and a token alone is not enough', async () => {
    const authorization = await server.aeToken('DIS#USER#501');
    const device = newDevice();
    await registerPasskey(server, authorization, device);
    const address: Hex = (await call(asPerson, 'GET /users/me/pkp')).ethAddress;
    const message = JSON.stringify(vote);
    await assert.rejects(
      call(asPerson, 'POST /pkp/sign-message', { address, message }),
      refusedWith(400, 'INVALID_OTP'),
    );
    const requested = await server.request('POST', '/pkp/sign-message', {
      headers: { authorization },
      json: { address, message },
    });
    const { summary, passkeyOptions } = requested.json.error.details;
    assert.deepEqual(summary, ['For: Club', 'Type: Vote', 'choice: 2']);
    const answered = device.get(passkeyOptions);
    const { json: otp } = await server.request('POST', '/webauthn/authentication/store', { json: answered });
    const { signature } = await call(asPerson, 'POST /pkp/sign-message', { address, message, otp });
    assert.ok(await verifyTypedData({ ...vote, address, signature }));
  });

  test('an application that may sign can neither log in with the wallet nor have a permit signed', async () => {
    const app = await server.apiKey(['user:pkp:sign']);
    const authorization = await server.bearer('DIS#USER#501', ['user:pkp:sign'], app.id);
    const address: Hex = (await call(asPerson, 'GET /users/me/pkp')).ethAddress;
    const sign = async (message: string) => {
      const options = { headers: { authorization }, json: { address, message } };
      const { status, json } = await server.request('POST', '/pkp/sign-message', options);
      return [status, json.error?.code];
    };
    for (const json of [{ accountId: `evm:1:${address}` }, {}]) {
      const challenge = await server.request('POST', '/ethereum-login/challenges', { json });
      assert.deepEqual(await sign(challenge.json.message), [409, 'STATE_CONFLICT'], challenge.json.message);
    }
    const issuedAt = new Date().toISOString();
    const request = { method: 'GET', path: '/account', issuedAt, nonce: 'n'.repeat(24) };
    assert.deepEqual(await sign(ethereumRequestText({ baseUrl: server.url, ...request })), [409, 'STATE_CONFLICT']);
    assert.deepEqual(await sign(JSON.stringify(vote)), [403, 'CLIENT_NOT_ALLOWED']);
    assert.deepEqual(await sign('I agree.'), [200, undefined]);
  });

  test('a Telegram user sees what they have and claims the same wallet', async () => {
    const none = { hasPkp: false, hasPasskey: false, hasPasskeyAuth: false };
    assert.deepEqual(await call(onTelegram, 'GET /telegram-pkp/check-availability'), none);
    assert.equal(await call(onTelegram, 'POST /telegram-pkp/claim'), undefined);
    assert.deepEqual(await call(onTelegram, 'GET /telegram-pkp/check-availability'), { ...none, hasPkp: true });
    const { ethAddress } = await call(onTelegram, 'GET /users/me/pkp');
    assert.equal((await call(onTelegram, 'PUT /users/me/pkp')).pkp.ethAddress, ethAddress);
    for (const route of ['GET /telegram-pkp/check-availability', 'POST /telegram-pkp/claim'])
      await assert.rejects(call(asPerson, route), refusedWith(403, 'ROLE_NOT_ALLOWED'));
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutHostedWallets.includes(name)),
      [],
    );
  });
});
