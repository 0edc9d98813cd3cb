import { test } from 'node:test';
import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { base58, base64 } from '@scure/base';
import { mutateBase58, mutateBase64, mutateText, respell, type SeededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { addGroupOrder } from '../testing/add-group-order.ts';
import { proofOfVector, walletsOfVector } from './test-vectors.ts';

interface Case {
  wallets: WalletNamespace;
  proof: WalletProof;
}

type Change = (random: SeededRandom, proof: WalletProof, other: WalletProof) => WalletProof | undefined;

const keyOf = (proof: WalletProof) => (proof.publicKey ?? '').slice('ed25519:'.length);
const signatureOf = (proof: WalletProof) => String(proof.signature);

/** Changes one of the signed details. The legacy format signs none. */
function changeDetail(name: string, change: (random: SeededRandom, text: string) => string | undefined): Change {
  return (random, proof) => {
    const text = proof.details?.[name];
    if (typeof text !== 'string' || proof.details?.format !== 'nep413') return undefined;
    return { ...proof, details: { ...proof.details, [name]: change(random, text) } };
  };
}

const changes: Record<string, Change> = {
  'signature changed': (random, proof) => ({ ...proof, signature: mutateBase64(random, signatureOf(proof)) }),
  'signature spelled otherwise': (random, proof) => ({ ...proof, signature: respell(random, signatureOf(proof)) }),
  'order added to the scalar': (_random, proof) => ({
    ...proof,
    signature: base64.encode(addGroupOrder(base64.decode(signatureOf(proof)))),
  }),
  'signature in base58': (_random, proof) => ({
    ...proof,
    signature: base58.encode(base64.decode(signatureOf(proof))),
  }),
  'message changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'account changed': (random, proof) =>
    proof.address.length === 64 ? { ...proof, address: mutateText(random, proof.address) } : undefined,
  'key changed': (random, proof) => ({ ...proof, publicKey: `ed25519:${mutateBase58(random, keyOf(proof))}` }),
  'key spelled otherwise': (random, proof) => ({ ...proof, publicKey: respell(random, proof.publicKey ?? '') }),
  'key of another curve': (random, proof) => ({
    ...proof,
    publicKey: `${random.pick(['secp256k1:', 'ED25519:', '', 'ed25519', 'ml-dsa:'])}${keyOf(proof)}`,
  }),
  'nonce changed': changeDetail('nonce', mutateBase64),
  'nonce spelled otherwise': changeDetail('nonce', respell),
  'recipient changed': changeDetail('recipient', mutateText),
  'callback changed': changeDetail('callbackUrl', mutateText),
  'callback dropped': changeDetail('callbackUrl', () => undefined),
  'chain changed': (random, proof) => ({ ...proof, chain: mutateText(random, proof.chain) }),
  'format changed': (random, proof) => {
    const format = proof.details?.format === 'nep413' ? 'legacy-sha256' : 'nep413';
    return { ...proof, details: { ...proof.details, format: random.pick([format, 'nep414', '', 413]) } };
  },
  'signature of another proof': (_random, proof, other) =>
    proof.signature === other.signature ? undefined : { ...proof, signature: other.signature },
  'key of another proof': (_random, proof, other) =>
    proof.publicKey === other.publicKey ? undefined : { ...proof, publicKey: other.publicKey },
  'message of another proof': (_random, proof, other) =>
    proof.message === other.message ? undefined : { ...proof, message: other.message },
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

test('no mutation of a valid NEAR proof is valid', async (t) => {
  const proofs = readVectors('near')
    .filter((vector) => vector.valid)
    .map((vector) => ({ wallets: walletsOfVector(vector), proof: proofOfVector(vector) }));
  const verify = ({ wallets, proof }: Case) => wallets.verify(proof);
  const run = { seed: seed('near mutations'), rounds: volume(150, 10_000), proofs, spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});
