import { test } from 'node:test';
import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { base64 } from '@scure/base';
import { Cell } from '@ton/core';
import { mutateBase64, mutateHex, mutateText, respell, type SeededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { addGroupOrder } from '../testing/add-group-order.ts';
import { proofOfVector, walletsOfVector } from './test-vectors.ts';

interface Case {
  wallets: WalletNamespace;
  proof: WalletProof;
}

type Change = (random: SeededRandom, proof: WalletProof, other: WalletProof) => WalletProof | undefined;

const detailsOf = (proof: WalletProof) => proof.details ?? {};
const withDetail = (proof: WalletProof, name: string, value: unknown): WalletProof => ({
  ...proof,
  details: { ...proof.details, [name]: value },
});

function hasSameCells(one: string, other: string): boolean {
  try {
    return Cell.fromBase64(one).equals(Cell.fromBase64(other));
  } catch {
    return false;
  }
}

/** Mutations that only serialize the same cells differently are equivalent, and left out. */
function changeStateInit(random: SeededRandom, proof: WalletProof): WalletProof | undefined {
  const stateInit = String(detailsOf(proof).stateInit);
  const changed = mutateBase64(random, stateInit);
  return hasSameCells(stateInit, changed) ? undefined : withDetail(proof, 'stateInit', changed);
}

function changeDomain(random: SeededRandom, proof: WalletProof): WalletProof {
  const { value, lengthBytes } = detailsOf(proof).domain as { value: string; lengthBytes: number };
  const other = mutateText(random, value);
  return withDetail(
    proof,
    'domain',
    random.pick([
      { value: other, lengthBytes },
      { value: other, lengthBytes: Buffer.byteLength(other) },
      { value, lengthBytes: lengthBytes + 1 + random.below(9) },
      { value, lengthBytes: String(lengthBytes) },
      { value },
      value,
      null,
    ]),
  );
}

const changes: Record<string, Change> = {
  'signature changed': (random, proof) => ({ ...proof, signature: mutateBase64(random, String(proof.signature)) }),
  'signature spelled otherwise': (random, proof) => ({ ...proof, signature: respell(random, String(proof.signature)) }),
  'order added to the scalar': (_random, proof) => ({
    ...proof,
    signature: base64.encode(addGroupOrder(base64.decode(String(proof.signature)))),
  }),
  'payload changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'account changed': (random, proof) => ({ ...proof, address: `0:${mutateHex(random, proof.address.slice(2))}` }),
  'address spelled otherwise': (random, proof) => {
    const address = respell(random, proof.address);
    return address.toLowerCase() === proof.address ? undefined : { ...proof, address };
  },
  'workchain changed': (random, proof) => ({
    ...proof,
    address: `${random.pick(['-1', '1', '00', '-0', '+0', '', '4294967296'])}${proof.address.slice(1)}`,
  }),
  'key changed': (random, proof) => ({ ...proof, publicKey: mutateHex(random, proof.publicKey ?? '') }),
  'key spelled otherwise': (random, proof) => {
    const publicKey = respell(random, proof.publicKey ?? '');
    return publicKey.toLowerCase() === proof.publicKey ? undefined : { ...proof, publicKey };
  },
  'state init changed': changeStateInit,
  'state init spelled otherwise': (random, proof) =>
    withDetail(proof, 'stateInit', respell(random, String(detailsOf(proof).stateInit))),
  'domain changed': changeDomain,
  'time changed': (random, proof) => {
    const seconds = Number(detailsOf(proof).timestamp);
    const moved = seconds + random.pick([-1, 1]) * (1 + random.below(2000));
    return withDetail(
      proof,
      'timestamp',
      random.pick([moved, `0${seconds}`, seconds + 0.5, -seconds, null, `${moved}`]),
    );
  },
  'chain changed': (random, proof) => ({ ...proof, chain: random.pick(['', '239', '-2', '3', '-239 ', 'mainnet']) }),
  'signature of another proof': (_random, proof, other) =>
    proof.signature === other.signature ? undefined : { ...proof, signature: other.signature },
  'account of another proof': (_random, proof, other) =>
    proof.address === other.address ? undefined : { ...proof, address: other.address },
  'state init of another proof': (_random, proof, other) =>
    proof.address === other.address ? undefined : withDetail(proof, 'stateInit', detailsOf(other).stateInit),
  'account and state init of another proof': (_random, proof, other) =>
    proof.address === other.address
      ? undefined
      : withDetail({ ...proof, address: other.address }, 'stateInit', detailsOf(other).stateInit),
};

const spoils: Record<string, Spoil<Case>> = Object.fromEntries(
  Object.entries(changes).map(([kind, change]) => [
    kind,
    (random: SeededRandom, { wallets, proof }: Case, other: Case) => {
      const changed = change(random, proof, other.proof);
      return changed && { wallets, proof: changed };
    },
  ]),
);

test('no mutation of a valid TON proof is valid', async (t) => {
  const proofs = readVectors('ton')
    .filter((vector) => vector.valid)
    .map((vector) => ({ wallets: walletsOfVector(vector), proof: proofOfVector(vector) }));
  const verify = ({ wallets, proof }: Case) => wallets.verify(proof);
  const run = { seed: seed('ton mutations'), rounds: volume(150, 10_000), proofs, spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});
