import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { createBase58check } from '@scure/base';
import {
  mutateBase58,
  mutateEncoded,
  mutateText,
  respell,
  type SeededRandom,
  seededRandom,
} from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { addGroupOrder } from '../testing/add-group-order.ts';
import { decodeTezos, encodeTezos, publicKeyEncodings, signatureEncodings, type TezosCurve } from './encodings.ts';
import { createTezosWallets, tezosChains } from './index.ts';
import { signText } from './test-proofs.ts';

interface Proof extends WalletProof {
  publicKey: string;
  signature: string;
}

const base58check = createBase58check(sha256);

function validProofs(): Proof[] {
  const published = readVectors('tezos').filter((vector) => vector.valid);
  const random = seededRandom('tezos keys');
  const curves: TezosCurve[] = ['ed25519', 'secp256k1', 'p256'];
  return [
    ...published.map(({ address, publicKey, signature, message }) => ({
      chain: tezosChains[0] ?? '',
      address,
      publicKey: String(publicKey),
      signature: String(signature),
      message: new TextDecoder().decode(hexToBytes(message).subarray(6)),
    })),
    ...curves.map((curve, n) => {
      const proof = signText(random, curve, `Tezos Signed Message: latchkey.example login ${n}`);
      return { ...proof, publicKey: String(proof.publicKey) };
    }),
  ];
}

/** With a new checksum, the change reaches the checks behind it. On P-256, the high-s form of a signature would be valid. */
const rechecked = (random: SeededRandom, text: string) => mutateEncoded(random, text, base58check);

/** Returns the same signature with a scalar that strict verifiers refuse, or undefined on P-256, where both forms are valid. */
function malleate({ publicKey, signature }: Proof): string | undefined {
  const bytes = decodeTezos(signature, signatureEncodings)?.bytes;
  const curve = decodeTezos(publicKey, publicKeyEncodings)?.curve;
  if (!bytes || !curve || curve === 'p256') return undefined;
  if (curve === 'ed25519') return encodeTezos(addGroupOrder(bytes), curve, signatureEncodings);
  const { r, s } = secp256k1.Signature.fromBytes(bytes);
  const emulator = new secp256k1.Signature(r, secp256k1.Point.Fn.neg(s)).toBytes();
  return encodeTezos(emulator, curve, signatureEncodings);
}

const spoils: Record<string, Spoil<Proof>> = {
  'signature bytes changed': (random, proof) => ({ ...proof, signature: rechecked(random, proof.signature) }),
  'signature text changed': (random, proof) => ({ ...proof, signature: mutateBase58(random, proof.signature) }),
  'signature spelled otherwise': (random, proof) => ({ ...proof, signature: respell(random, proof.signature) }),
  'malleable emulator': (_random, proof) => {
    const signature = malleate(proof);
    return signature === undefined ? undefined : { ...proof, signature };
  },
  'message changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'address bytes changed': (random, proof) => ({ ...proof, address: rechecked(random, proof.address) }),
  'address text changed': (random, proof) => ({ ...proof, address: mutateBase58(random, proof.address) }),
  'address spelled otherwise': (random, proof) => ({ ...proof, address: respell(random, proof.address) }),
  'key bytes changed': (random, proof) => ({ ...proof, publicKey: rechecked(random, proof.publicKey) }),
  'key text changed': (random, proof) => ({ ...proof, publicKey: mutateBase58(random, proof.publicKey) }),
  'key spelled otherwise': (random, proof) => ({ ...proof, publicKey: respell(random, proof.publicKey) }),
  'chain changed': (random, proof) => ({ ...proof, chain: mutateText(random, proof.chain) }),
  'signature of another proof': (_random, proof, other) =>
    proof.message === other.message ? undefined : { ...proof, signature: other.signature },
  'key of another proof': (_random, proof, other) =>
    proof.publicKey === other.publicKey ? undefined : { ...proof, publicKey: other.publicKey },
  'address of another proof': (_random, proof, other) =>
    proof.address === other.address ? undefined : { ...proof, address: other.address },
  'message of another proof': (_random, proof, other) =>
    proof.message === other.message ? undefined : { ...proof, message: other.message },
};

test('no mutation of a valid Tezos proof is valid', async (t) => {
  const wallets = createTezosWallets();
  const verify = (proof: Proof) => wallets.verify(proof);
  const run = { seed: seed('tezos mutations'), rounds: volume(150, 10_000), proofs: validProofs(), spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});
