import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NearUnavailable } from '@latchkey/core/ports';
import { startNearChain } from '@latchkey/emulators/near-chain';
import { patientMs } from '@latchkey/emulators/testing';
import { createNear } from './index.ts';

const oneNear = 1_000_000_000_000_000_000_000_000n;
const setup = {
  tokenCode: 'token-code.near',
  marketCode: 'market-code.near',
  defaultMarket: undefined,
  marketFeeBasisPoints: 0,
  contractYocto: oneNear,
  accountYocto: oneNear,
};

async function start(t: TestContext, urls: readonly string[] = []) {
  const chain = await startNearChain({ seed: 'ledger', validityHeights: 50 });
  t.after(chain.stop);
  const { accountId: id, secretKey } = chain.createAccount('shop.near');
  const account = { id, secretKey };
  const near = await createNear({
    fetch,
    network: 'localnet',
    urls: [...urls, chain.url],
    timeoutMs: patientMs,
    account,
    setup,
  });
  const draft = async (yocto: string, nonceAhead = 1) => {
    const [key] = await near.keysOf(id);
    const { publicKey } = near.account;
    const nonce = (key?.nonce ?? 0) + nonceAhead;
    const blockHash = await near.finalBlockHash();
    return {
      signerId: id,
      publicKey,
      nonce,
      receiverId: 'near',
      blockHash,
      steps: [{ kind: 'transfer', yocto } as const],
    };
  };
  return { chain, near, draft };
}

test('a transaction is signed, sent, found by its hash, and executed once however often it is sent', async (t) => {
  const { chain, near, draft } = await start(t);
  const wanted = await draft('7');
  const signed = await near.sign(wanted);
  assert.equal(signed.hash, near.encode(wanted).hash);
  assert.deepEqual(await near.lookUp(signed.hash, signed.signerId), { kind: 'absent' });
  assert.equal((await near.send(signed)).kind, 'done');
  assert.equal((await near.send(signed)).kind, 'done');
  assert.equal((await near.lookUp(signed.hash, signed.signerId)).kind, 'done');
  assert.equal(chain.balanceOf('near'), 7n);
});

test('a rejected transaction reports why, and whether the same can be signed again', async (t) => {
  const { chain, near, draft } = await start(t);
  const send = async (wanted: Awaited<ReturnType<typeof draft>>) => near.send(await near.sign(wanted));
  assert.deepEqual(await send(await draft('1', 0)), { kind: 'refused', reason: 'InvalidNonce', isOutdated: true });
  assert.deepEqual(await send(await draft(String(10n ** 30n))), {
    kind: 'refused',
    reason: 'NotEnoughBalance',
    isOutdated: false,
  });
  const old = await draft('1');
  chain.makeBlocks(60);
  assert.deepEqual(await send(old), { kind: 'refused', reason: 'Expired', isOutdated: true });
  const failing = { ...(await draft('1')), receiverId: 'nobody.near' };
  assert.deepEqual(await send(failing), {
    kind: 'failed',
    reason: '{"AccountDoesNotExist":{"account_id":"nobody.near"}}',
  });
});

test('a signature is accepted only for the draft it was made for', async (t) => {
  const { near, draft } = await start(t);
  const wanted = await draft('7');
  const { bytes } = await near.sign(wanted);
  const signature = bytes.slice(-64);
  assert.deepEqual(near.attach(wanted, signature)?.bytes, bytes);
  assert.equal(near.attach({ ...wanted, receiverId: 'shop.near' }, signature), undefined);
  assert.equal(near.attach(wanted, signature.slice(1)), undefined);
  assert.equal(near.readSigned(bytes, wanted)?.signerId, 'shop.near');
  assert.equal(near.readSigned(bytes, { ...wanted, steps: [{ kind: 'transfer', yocto: '8' }] }), undefined);
  for (const at of [3, 50, bytes.length - 1]) {
    const changed = Uint8Array.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 4;
    assert.equal(near.readSigned(changed, wanted), undefined);
  }
  assert.equal(near.readSigned(new Uint8Array(100), wanted), undefined);
  assert.equal(near.readSigned(Buffer.concat([bytes, Uint8Array.of(0)]), wanted), undefined);
});

test('the next node is used when one is down; with none, reading throws and sending is unknown', async (t) => {
  const { chain, near, draft } = await start(t, ['http://127.0.0.1:1/?key=hunter2']);
  assert.equal((await near.findAccount('shop.near'))?.yocto, 100n * oneNear);
  const signed = await near.sign(await draft('7'));
  for (const fault of [{ kind: 'status', status: 429 }, { kind: 'cut' }, { kind: 'malformed' }] as const) {
    chain.misbehave(fault);
    const seen = await near.send(signed);
    assert.ok(seen.kind === 'unknown' && !seen.reason.includes('hunter2'));
    await assert.rejects(near.view('near', 'nothing', {}), NearUnavailable);
    await assert.rejects(near.keysOf('shop.near'), (error: Error) => !error.message.includes('hunter2'));
    assert.equal((await near.lookUp(signed.hash, 'shop.near')).kind, 'unknown');
    chain.behave();
  }
  assert.equal((await near.send(signed)).kind, 'done');
  assert.equal(chain.balanceOf('near'), 7n);
});

test('a missing account, a missing contract and a failing contract are distinguished', async (t) => {
  const { chain, near } = await start(t);
  chain.createAccount('art.near');
  chain.deploy('art.near', 'nep171', {
    owner_id: 'shop.near',
    metadata: { spec: 'nft-1.0.0', name: 'A', symbol: 'A' },
  });
  assert.equal(await near.findAccount('nobody.near'), undefined);
  assert.deepEqual(await near.keysOf('nobody.near'), []);
  for (const [account, method] of [
    ['nobody.near', 'nft_token'],
    ['shop.near', 'nft_token'],
    ['art.near', 'no_such_method'],
    ['art.near', 'nft_mint'],
  ] as const)
    assert.deepEqual(await near.view(account, method, {}), { kind: 'none' });
  assert.deepEqual(await near.view('art.near', 'nft_token', {}), {
    kind: 'failed',
    reason: 'missing field `token_id`',
  });
  assert.deepEqual(await near.view('art.near', 'nft_token', { token_id: '1' }), { kind: 'value', value: null });
});

test('a private key that cannot be read is not repeated', async () => {
  const account = { id: 'shop.near', secretKey: 'ed25519:hunter2' };
  await assert.rejects(
    createNear({ fetch, network: 'localnet', urls: [], timeoutMs: 1, account, setup }),
    (error: Error) => !error.message.includes('hunter2'),
  );
});
