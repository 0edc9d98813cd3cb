import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type DevChain,
  deployWaitingList,
  devChain,
  devTransport,
  startDevChain,
  waitingListAbi,
} from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import { type Address, createTestClient, type Hex, keccak256, publicActions, toHex, walletActions } from 'viem';
import { createWaitingListChain } from './index.ts';

const key = Buffer.from('11'.repeat(32), 'hex');
const otherKey = Buffer.from('22'.repeat(32), 'hex');
const hashOf = (user: string) => keccak256(toHex(user));

const clientOf = ({ url, chainId }: DevChain) =>
  createTestClient({ mode: 'hardhat', chain: devChain(url, chainId), transport: devTransport(url) })
    .extend(publicActions)
    .extend(walletActions);

describe('quotes of the waiting list on the chain', () => {
  let chain: DevChain;
  let contract: Address;
  let client: ReturnType<typeof clientOf>;
  let now: bigint;
  const port = createWaitingListChain({
    fetch,
    rpcUrlsOf: (id) => (id === '31337' || id === '5' ? [chain.url] : []),
    timeoutMs: patientMs,
  });
  before(async () => {
    chain = await startDevChain();
    client = clientOf(chain);
    contract = await deployWaitingList(chain, port.signerAddress(key) as Address);
    now = (await client.getBlock()).timestamp;
  });
  after(() => chain.stop());

  const [price, hour] = [1_000n, 3_600n];
  async function quoteFor(user: string, change: { chainId?: number; contractAddress?: string; key?: Uint8Array } = {}) {
    const terms = {
      chainId: 31337,
      contractAddress: contract as string,
      userIdHash: hashOf(user) as string,
      priceWei: price,
      expiresAtSeconds: Number(now + hour),
      ...change,
    };
    const signature = (await port.signQuote(change.key ?? key, terms)) as Hex;
    return { userIdHash: hashOf(user), price, expiresAt: now + hour, signature };
  }
  type Quote = Awaited<ReturnType<typeof quoteFor>>;
  const register = ({ userIdHash, price: requested, expiresAt, signature }: Quote, value = requested) =>
    client.writeContract({
      address: contract,
      abi: waitingListAbi,
      functionName: 'register',
      args: [userIdHash, requested, expiresAt, signature],
      value,
      account: chain.accounts[3]?.address ?? '0x',
      chain: null,
    });
  const isRegistered = async (user: string) =>
    port.readRegistered({ chainId: 31337, contractAddress: contract, userIdHash: hashOf(user) });

  it('are accepted by the contract, once, and read back from it', async () => {
    assert.deepEqual(await isRegistered('ada'), { kind: 'read', isRegistered: false });
    const quote = await quoteFor('ada');
    await register(quote);
    assert.deepEqual(await isRegistered('ada'), { kind: 'read', isRegistered: true });
    assert.equal(await client.getBalance({ address: contract }), price);
    await assert.rejects(register(quote), /AlreadyRegistered/);
    await assert.rejects(register(await quoteFor('ada')), /AlreadyRegistered/);
  });

  it('are refused for another user, price, time, chain, contract or signer, and for less or more money', async () => {
    const good = await quoteFor('bob');
    await assert.rejects(register({ ...good, userIdHash: hashOf('eve') }), /WrongSignature/);
    await assert.rejects(register({ ...good, price: 1n }), /WrongSignature/);
    await assert.rejects(register({ ...good, expiresAt: good.expiresAt + 1n }), /WrongSignature/);
    await assert.rejects(register(good, price - 1n), /WrongPrice/);
    await assert.rejects(register(good, price + 1n), /WrongPrice/);
    await assert.rejects(register(await quoteFor('bob', { chainId: 1 })), /WrongSignature/);
    await assert.rejects(register(await quoteFor('bob', { contractAddress: chain.contracts.erc20 })), /WrongSignature/);
    await assert.rejects(register(await quoteFor('bob', { key: otherKey })), /WrongSignature/);
    assert.deepEqual(await isRegistered('bob'), { kind: 'read', isRegistered: false });
  });

  it('are refused with a high-s signature, and when they are not signatures', async () => {
    const good = await quoteFor('carol');
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = order - BigInt(`0x${good.signature.slice(66, 130)}`);
    const v = good.signature.endsWith('1b') ? '1c' : '1b';
    const twisted = `${good.signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex;
    for (const signature of [twisted, '0x', `${good.signature}00`, `0x${'00'.repeat(65)}`] as Hex[])
      await assert.rejects(register({ ...good, signature }), /WrongSignature/);
    await register(good);
  });

  it('are refused once they have expired, and once the owner trusts another signer', async () => {
    const late = await quoteFor('dave');
    const snapshot = await client.snapshot();
    await client.setNextBlockTimestamp({ timestamp: now + hour + 1n });
    await assert.rejects(register(late), /QuoteExpired/);
    await client.revert({ id: snapshot });
    const change = { address: contract, abi: waitingListAbi, functionName: 'setSigner', chain: null } as const;
    const [owner, stranger] = chain.accounts;
    const args = [port.signerAddress(otherKey) as Address] as const;
    await assert.rejects(client.writeContract({ ...change, args, account: stranger?.address ?? '0x' }), /NotTheOwner/);
    await client.writeContract({ ...change, args, account: owner?.address ?? '0x' });
    await assert.rejects(register(late), /WrongSignature/);
    await register(await quoteFor('dave', { key: otherKey }));
    const account = owner?.address ?? '0x';
    await client.writeContract({ ...change, functionName: 'withdraw', args: [account], account });
    assert.equal(await client.getBalance({ address: contract }), 0n);
  });

  it('are unknown when no node, another chain or no matching contract responds', async () => {
    const ask = (chainId: number, contractAddress: string) =>
      port.readRegistered({ chainId, contractAddress, userIdHash: hashOf('ada') });
    for (const answer of [
      await ask(7, contract),
      await ask(5, contract),
      await ask(31337, chain.contracts.erc20),
      await ask(31337, `0x${'9'.repeat(40)}`),
    ]) {
      assert.equal(answer.kind, 'unknown');
      assert.doesNotMatch(JSON.stringify(answer), /127\.0\.0\.1/);
    }
  });
});
