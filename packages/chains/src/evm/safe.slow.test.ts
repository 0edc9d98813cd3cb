import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { type Hex, serializeErc6492Signature, zeroAddress } from 'viem';
import { mutateText, seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { deploySafes, type SafeChain } from '../testing/deploy-safes.ts';
import { type EvmNode, startEvmNode } from '../testing/evm-node.ts';
import { createEvmWallets } from './wallets.ts';

describe('Safe wallets on a real chain', () => {
  let node: EvmNode;
  let chain: SafeChain;
  const wallets = createEvmWallets({ fetch, rpcUrlsOf: () => [node.url], timeoutMs: patientMs });
  const verify = async (proof: Omit<WalletProof, 'chain'>) => wallets.verify({ chain: '31337', ...proof });

  before(async () => {
    node = await startEvmNode();
    chain = await deploySafes(node.url);
  });
  after(() => node.stop());

  const vectors = readVectors('ethereum-safe');
  const vectorOf = (name: string) => {
    const vector = vectors.find((each) => each.name === name);
    assert.ok(vector, name);
    return { address: vector.address, message: vector.message, signature: vector.signature };
  };

  it('the Safes are deployed at the addresses of the vectors', () => {
    assert.equal(chain.deployedSafe, vectorOf('Safe 2-of-3, two owners sorted').address);
    assert.equal(chain.undeployedSafe, vectorOf('ERC-6492 undeployed Safe').address);
  });

  for (const { name, address, message, signature, valid } of vectors) {
    it(`${name} is ${valid ? 'accepted' : 'refused'}`, async () => {
      const verdict = await verify({ address, message, signature });
      assert.equal(verdict.kind, valid ? 'valid' : 'invalid');
    });
  }

  it('proofs that claim to be from a Safe are verified by the contract alone', async () => {
    const details = { scheme: 'safe' };
    const good = vectorOf('Safe 2-of-3, two owners sorted');
    assert.equal((await verify({ ...good, details })).kind, 'valid');
    const owner = vectorOf('EOA owner own address still works');
    assert.equal((await verify({ ...owner, details })).kind, 'invalid');
  });

  it('a message approved on-chain by the owners needs no signature, and no other message benefits', async () => {
    const proof = {
      address: chain.deployedSafe,
      message: 'approved on the chain',
      signature: '0x',
      details: { scheme: 'safe' },
    };
    assert.equal((await verify(proof)).kind, 'invalid');
    await chain.approveMessage(proof.message);
    assert.equal((await verify(proof)).kind, 'valid');
    assert.equal((await verify({ ...proof, message: 'approved on the chain?' })).kind, 'invalid');
    assert.equal((await verify({ ...proof, details: {} })).kind, 'invalid');
  });

  it('a Safe is not accepted on another chain', async () => {
    const verdict = await wallets.verify({ ...vectorOf('Safe 2-of-3, two owners sorted'), chain: '1' });
    assert.equal(verdict.kind, 'unknown');
  });

  it('the ERC-6492 wrapper is opened for an already deployed wallet', async () => {
    const { signature, ...proof } = vectorOf('Safe 2-of-3, two owners sorted');
    const wrap = (inner: unknown) =>
      serializeErc6492Signature({ address: zeroAddress, data: '0x', signature: `0x${String(inner).slice(2)}` });
    assert.equal((await verify({ ...proof, signature: wrap(signature) })).kind, 'valid');
    const { signature: unsorted } = vectorOf('Safe two owners unsorted');
    assert.equal((await verify({ ...proof, signature: wrap(unsorted) })).kind, 'invalid');
  });

  it('a wrapper that deploys nothing proves no address', async () => {
    const identityPrecompile = '0x0000000000000000000000000000000000000004';
    const stranger = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
    const { signature } = vectorOf('plain personal_sign by an owner');
    const inner: Hex = `0x${String(signature).slice(2)}`;
    for (const address of [identityPrecompile, zeroAddress, stranger, chain.undeployedSafe]) {
      for (const factory of [identityPrecompile, zeroAddress] as const) {
        const wrapped = serializeErc6492Signature({ address: factory, data: '0x1626ba7e', signature: inner });
        assert.equal((await verify({ address, message: 'hello', signature: wrapped })).kind, 'invalid', address);
      }
      assert.equal((await verify({ address, message: 'hello', signature: inner })).kind, 'invalid', address);
    }
  });

  it('no changed byte, missing byte or changed message leaves the signatures of owners valid', async (t) => {
    const random = seededRandom('safe proofs');
    const sources = ['Safe 2-of-3, two owners sorted', 'Safe eth_sign style v+4'].map(vectorOf);
    const changeByte = (signature: string) => {
      const bytes = Buffer.from(signature.slice(2), 'hex');
      const place = random.below(bytes.length);
      bytes[place] = (bytes[place] ?? 0) ^ (1 + random.below(255));
      return `0x${bytes.toString('hex')}`;
    };
    for (let count = 0; count < 300; count++) {
      const proof = random.pick(sources);
      const signature = String(proof.signature);
      const changed = random.pick([
        () => ({ ...proof, signature: changeByte(signature) }),
        () => ({ ...proof, signature: changeByte(signature) }),
        () => ({ ...proof, signature: signature.slice(0, 2 * (1 + random.below(130))) }),
        () => ({ ...proof, message: mutateText(random, proof.message) }),
        () => ({ ...proof, address: chain.undeployedSafe }),
      ])();
      assert.equal((await verify(changed)).kind, 'invalid', JSON.stringify(changed));
    }
    t.diagnostic('300 changed proofs refused by the contract');
  });

  it('verifying deploys nothing', async () => {
    await verify(vectorOf('ERC-6492 undeployed Safe'));
    assert.equal(await chain.codeOf(chain.undeployedSafe), undefined);
  });
});
