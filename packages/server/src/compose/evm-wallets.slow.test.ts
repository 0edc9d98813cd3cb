import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deploySafes, type SafeChain } from '@latchkey/chains/testing';
import { type Context, contextFor, jobKinds, resources } from '@latchkey/core';
import { alice, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { type DevChain, proxyRegisterAbi, sampleSafeAbi, startDevChain } from '@latchkey/emulators/evm-chain';
import type { Operation, Resource } from '@latchkey/kernel';
import {
  type Address,
  createWalletClient,
  type Hex,
  hashMessage,
  hashTypedData,
  http,
  serializeErc6492Signature,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { composeChains } from './chains.ts';
import { composeWallets } from './wallets.ts';

interface Answer {
  success?: boolean;
  code?: string;
  message?: string;
  state?: string;
  address?: string;
  proxies?: { proxyAddresses?: string[]; proxyAccounts?: string[]; proxyType?: string }[];
  connection?: { accountId?: string };
}

type Body = Record<string, unknown>;

const accountOf = (addressIndex: number) => mnemonicToAccount(`${'test '.repeat(11)}junk`, { addressIndex });

describe('EVM wallets on a running chain', () => {
  let t: TestPlatform;
  let chain: DevChain;
  let safes: SafeChain;
  const verbs = new Map<string, (body: Body) => Promise<Answer>>();
  const call = (route: string, body: Body) => verbs.get(route)?.(body) ?? assert.fail(route);
  const connect = (body: Body) => call('PUT /wallet-manager/wallet-connections', { chainId: 31337, ...body });

  before(async () => {
    t = await testPlatform('evm-wallets');
    chain = await startDevChain();
    safes = await deploySafes(chain.url);
    const config = {
      evmRpcUrls: new Map([['31337', [chain.url]]]),
      chainUrls: new Map(),
      serviceKeys: new Map(),
      ipfsGateway: undefined,
    };
    const { clock, egress } = t.services;
    const { holdings } = (await composeChains(config, { clock, egress })).chains;
    Object.assign(t.services, { holdings, ...composeWallets(config, { clock, baseUrl: 'http://latchkey.test' }) });
    for (const { operations } of resources as readonly Resource[])
      for (const { route, verb } of operations as readonly Operation<never, never, unknown, unknown, Context>[])
        verbs.set(route, (body) => verb(contextFor(t.services, alice), { body } as never) as Promise<Answer>);
  });
  after(async () => {
    await chain.stop();
    await t.close();
  });

  const stored = async (address: string) =>
    t.services.db.system
      .selectFrom('wallet_connections')
      .select(['contract_chain', 'contract', 'signer_address'])
      .where('address', '=', address)
      .executeTakeFirst();

  /** Runs the worker's scheduled job, which asks the chain about every signer of a contract wallet. */
  const recheckSigners = async () => {
    const kind = jobKinds.find(({ name }) => name === 'wallet-manager.recheck-signers') ?? assert.fail();
    t.advanceSeconds(60 * 60);
    const ctx = contextFor(t.services, { kind: 'system', job: kind.name });
    await kind.run(ctx, {}, { signal: new AbortController().signal } as never);
  };

  test('a key signs typed data with the same content as the text', async () => {
    const account = accountOf(10);
    const body = { address: account.address, walletSubType: 'eip712' };
    const request = await connect(body);
    const { domain, message, primaryType } = JSON.parse(request.message ?? '');
    assert.deepEqual([domain, primaryType], [{ name: 'latchkey.test', version: '1', chainId: 31337 }, 'LinkWallet']);
    assert.deepEqual(
      { ...message, statement: undefined, nonce: undefined, issuedAt: undefined, expirationTime: undefined },
      {
        statement: undefined,
        domain: 'latchkey.test',
        uri: 'http://latchkey.test',
        account: account.address,
        signer: account.address,
        user: 'DIS#USER#100',
        community: '',
        nonce: undefined,
        issuedAt: undefined,
        expirationTime: undefined,
        resources: [],
      },
    );
    const signature = await account.signTypedData(JSON.parse(request.message ?? ''));
    assert.equal((await connect({ ...body, signature, message: request.message })).code, 'CONNECTED');
    assert.deepEqual(await stored(account.address), { contract_chain: null, contract: null, signer_address: null });
    assert.equal((await connect({ ...body, signature, message: request.message })).code, 'CHALLENGE_UNKNOWN');
  });

  const otherWords: Record<string, (data: { domain: Body; message: Body }) => void> = {
    domain: ({ message }) => Object.assign(message, { domain: 'evil.example' }),
    'name of the domain': ({ domain }) => Object.assign(domain, { name: 'evil.example' }),
    chain: ({ domain }) => Object.assign(domain, { chainId: 1 }),
    URI: ({ message }) => Object.assign(message, { uri: 'http://evil.example' }),
    account: ({ message }) => Object.assign(message, { account: accountOf(12).address }),
    signer: ({ message }) => Object.assign(message, { signer: accountOf(12).address }),
    user: ({ message }) => Object.assign(message, { user: 'DIS#USER#666' }),
    community: ({ message }) => Object.assign(message, { community: 'DIS#COMM#1' }),
    nonce: ({ message }) => Object.assign(message, { nonce: 'a'.repeat(24) }),
    'time of issue': ({ message }) => Object.assign(message, { issuedAt: '2020-01-01T00:00:00.000Z' }),
    'time of expiry': ({ message }) => Object.assign(message, { expirationTime: '2099-01-01T00:00:00.000Z' }),
    resources: ({ message }) => Object.assign(message, { resources: ['http://latchkey.test/communities/x'] }),
  };
  for (const [word, change] of Object.entries(otherWords))
    test(`typed data with another ${word} is refused`, async () => {
      const account = accountOf(11);
      const body = { address: account.address, walletSubType: 'eip712' };
      const request = await connect(body);
      const data = JSON.parse(request.message ?? '');
      change(data);
      const signature = await account.signTypedData(data);
      assert.equal((await connect({ ...body, signature, state: request.state })).code, 'SIGNATURE_INVALID');
      assert.equal(await stored(account.address), undefined);
    });

  test('typed data signed as a text, or a text signed for typed data, proves nothing', async () => {
    const account = accountOf(11);
    const body = { address: account.address, walletSubType: 'eip712' };
    const request = await connect(body);
    const asText = await account.signMessage({ message: request.message ?? '' });
    assert.equal((await connect({ ...body, signature: asText, state: request.state })).code, 'SIGNATURE_INVALID');
    await assert.rejects(connect({ walletSubType: 'eip712' }), { code: 'VALIDATION_FAILED' });
  });

  test('a Safe signs a text by ERC-1271, and its signature is valid for no other Safe, chain or user', async () => {
    const { deployedSafe, undeployedSafe, signFor } = safes;
    const sign = async (safe: Address, message = '') => signFor(safe, hashMessage(message));
    const request = await connect({ address: deployedSafe });
    const forOther = await sign(undeployedSafe, request.message);
    const refused = await connect({ address: deployedSafe, signature: forOther, state: request.state });
    assert.equal(refused.code, 'SIGNATURE_INVALID');

    const second = await connect({ address: deployedSafe });
    const signature = await sign(deployedSafe, second.message);
    const elsewhere = { address: deployedSafe, chainId: 1, signature, message: second.message };
    assert.equal((await connect(elsewhere)).code, 'SIGNATURE_INVALID');

    const third = await connect({ address: deployedSafe });
    const good = await sign(deployedSafe, third.message);
    assert.equal((await connect({ address: deployedSafe, signature: good, state: third.state })).code, 'CONNECTED');
    assert.deepEqual(await stored(deployedSafe), { contract_chain: '31337', contract: null, signer_address: null });
  });

  test('a Safe signs typed data', async () => {
    const { deployedSafe, signFor } = safes;
    const body = { address: deployedSafe, walletSubType: 'eip712', proxyType: 'gnosis' };
    const request = await connect(body);
    const signature = await signFor(deployedSafe, hashTypedData(JSON.parse(request.message ?? '')));
    assert.equal((await connect({ ...body, signature, state: request.state })).code, 'ALREADY_CONNECTED');
  });

  test('an undeployed Safe signs by ERC-6492, and stays undeployed', async () => {
    const { undeployedSafe, undeployedBy, signFor, codeOf } = safes;
    const request = await connect({ address: undeployedSafe });
    const inner = await signFor(undeployedSafe, hashMessage(request.message ?? ''));
    const signature = serializeErc6492Signature({ ...undeployedBy, signature: inner });
    assert.equal((await connect({ address: undeployedSafe, signature, state: request.state })).code, 'CONNECTED');
    assert.equal(await codeOf(undeployedSafe), undefined);
    const again = await connect({ address: undeployedSafe });
    const forged = serializeErc6492Signature({ ...undeployedBy, signature: inner });
    const answer = await connect({ address: undeployedSafe, signature: forged, state: again.state });
    assert.equal(answer.code, 'SIGNATURE_INVALID');
  });

  test('one owner signs for a Safe with a message that names it, and no one else can', async () => {
    const { safe } = chain.contracts;
    const [owner, stranger] = [accountOf(1), accountOf(13)];
    const speak = async (signer: typeof owner, more: Body = {}) => {
      const body = { address: safe, gnosisSignerAddress: signer.address, ...more };
      const { message = '', state } = await connect(body);
      const signature = message.startsWith('{')
        ? await signer.signTypedData(JSON.parse(message))
        : await signer.signMessage({ message });
      return connect({ ...body, signature, state });
    };
    assert.equal((await speak(stranger)).code, 'NOT_AN_OWNER');
    assert.equal((await speak(owner)).code, 'CONNECTED');
    const contract = `evm:31337/gnosis/${safe}`;
    assert.deepEqual(await stored(safe), { contract_chain: '31337', contract, signer_address: owner.address });
    assert.equal((await speak(owner, { walletSubType: 'eip712' })).code, 'ALREADY_CONNECTED');
  });

  test('an owner removed from the Safe loses the link, and no other link ends with it', async () => {
    const { safe } = chain.contracts;
    const owner = accountOf(1);
    const { deployedSafe } = safes;
    const link = async () => (await stored(safe))?.signer_address;
    await recheckSigners();
    assert.equal(await link(), owner.address);
    const client = createWalletClient({ account: accountOf(0), chain: hardhat, transport: http(chain.url) });
    await client.writeContract({
      address: safe,
      abi: sampleSafeAbi,
      functionName: 'removeOwner',
      args: [owner.address],
    });
    assert.equal(await link(), owner.address);
    await recheckSigners();
    assert.equal(await link(), undefined);
    assert.notEqual(await stored(deployedSafe), undefined, 'a Safe that agreed itself has no signer to lose');
    assert.notEqual(await stored(accountOf(10).address), undefined);
  });

  test('a wallet acts for its EPS nominator, from its acceptance until it ends', async () => {
    const [cold, hot] = [accountOf(14), accountOf(15)];
    const register = chain.contracts.proxyRegister;
    const send = (from: typeof cold, functionName: string, args: readonly unknown[]) =>
      createWalletClient({ account: from, chain: hardhat, transport: http(chain.url) }).writeContract({
        address: register,
        abi: proxyRegisterAbi,
        functionName,
        args,
      } as never);
    const ask = async (more: Body = {}, signer = hot) => {
      const body = { address: signer.address, proxyType: 'epsproxy', ...more };
      const { message = '', state } = await connect(body);
      return connect({ ...body, signature: await signer.signMessage({ message }), state });
    };
    assert.equal((await ask()).code, 'NO_PROXY');
    await send(cold, 'makeNomination', [hot.address, 1n]);
    assert.equal((await ask()).code, 'NO_PROXY', 'a nomination that was not accepted has no effect');
    await send(hot, 'acceptNomination', [cold.address, cold.address, 1n]);
    assert.equal((await ask({}, cold)).code, 'NO_PROXY', 'the cold wallet acts for no other wallet');
    await assert.rejects(ask({ proxyRegistry: accountOf(3).address }), { code: 'VALIDATION_FAILED' });
    await assert.rejects(ask({ chainId: 10 }), { code: 'VALIDATION_FAILED' });
    assert.equal((await ask({ verifyOnly: true })).code, 'VERIFIED');

    const offered = await ask({ proxyRegistry: register });
    assert.deepEqual(offered.proxies, [
      { proxyAddresses: [cold.address], proxyAccounts: [`evm:31337:${cold.address}`], proxyType: 'epsproxy' },
    ]);
    const resume = (body: Body) => call('POST /wallet-manager/wallet-connections/resume', body);
    const chosen = await resume({ state: offered.state, proxyAddress: cold.address });
    assert.equal(chosen.code, 'CONNECTED');
    const contract = `evm:31337/epsproxy/${register}`;
    const expected = { contract_chain: '31337', contract, signer_address: hot.address };
    assert.deepEqual(await stored(cold.address), expected);
    assert.equal(await stored(hot.address), undefined);
    await recheckSigners();
    assert.deepEqual(await stored(cold.address), expected);
    await send(cold, 'deleteRecordByNominator', [1n]);
    assert.equal((await ask()).code, 'NO_PROXY');
    await recheckSigners();
    assert.equal(await stored(cold.address), undefined, 'the link ends with the nomination');
  });

  test('a high-s, truncated or extended signature is refused', async () => {
    const account = accountOf(16);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const forms: Record<string, (signature: Hex) => string> = {
      'high s': (signature) => {
        const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
        return `${signature.slice(0, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`;
      },
      cut: (signature) => signature.slice(0, -2),
      longer: (signature) => `${signature}00`,
    };
    for (const [form, spoil] of Object.entries(forms)) {
      const request = await connect({ address: account.address });
      const signature = spoil(await account.signMessage({ message: request.message ?? '' }));
      const answer = await connect({ address: account.address, signature, state: request.state });
      assert.equal(answer.code, 'SIGNATURE_INVALID', form);
    }
  });
});
