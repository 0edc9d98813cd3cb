import { test } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { base58xrp } from '@scure/base';
import { mutateBase58, mutateEncoded, mutateHex, mutateText, respell, seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { addGroupOrder } from '../testing/add-group-order.ts';
import { createXrplWallets } from './index.ts';
import { createSigner, signIn, signText, type XrplAlgorithm, type XrplProof } from './test-proofs.ts';

const checked = {
  encode: (body: Uint8Array) => base58xrp.encode(concatBytes(body, sha256(sha256(body)).subarray(0, 4))),
  decode: (text: string) => base58xrp.decode(text).subarray(0, -4),
};

function validProofs(): XrplProof[] {
  const published = readVectors('xrpl').filter((vector) => vector.valid && vector.context?.allowAnyTx !== true);
  const random = seededRandom('xrpl keys');
  const algorithms: XrplAlgorithm[] = ['ed25519', 'ecdsa-secp256k1'];
  return [
    ...published.map(({ address, message, publicKey, signature }) => {
      return { chain: '0', address, message, publicKey, signature: String(signature) };
    }),
    ...algorithms.flatMap((algorithm) => {
      const signer = createSigner(random, algorithm);
      return [signText(signer, `Latchkey login ${algorithm}`), signIn(signer, `Latchkey sign-in ${algorithm}`)];
    }),
  ];
}

/** The case of hexadecimal digits does not matter. */
const isSameHex = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Returns the same signature in a form that the ledger refuses: the high-s form, or DER with unnecessary bytes. */
const malleate: Spoil<XrplProof> = (random, proof) => {
  if (proof.publicKey === undefined) return undefined;
  if (proof.publicKey.startsWith('ED')) {
    return { ...proof, signature: bytesToHex(addGroupOrder(hexToBytes(proof.signature))) };
  }
  const { r, s } = secp256k1.Signature.fromBytes(hexToBytes(proof.signature), 'der');
  const hex = proof.signature.toLowerCase();
  const lengthOfR = Number.parseInt(hex.slice(6, 8), 16);
  const forms = [
    new secp256k1.Signature(r, secp256k1.Point.Fn.neg(s)).toHex('der'),
    new secp256k1.Signature(r, s).toHex('compact'),
    hex.replace(/^30../, (head) => `3081${head.slice(2)}`),
    `30${(hex.length / 2 - 1).toString(16)}02${(lengthOfR + 1).toString(16)}00${hex.slice(8)}`,
    `${hex}00`,
  ];
  return { ...proof, signature: random.pick(forms) };
};

const spoils: Record<string, Spoil<XrplProof>> = {
  'signature changed': (random, proof) => ({ ...proof, signature: mutateHex(random, proof.signature) }),
  'signature spelled otherwise': (random, proof) => {
    const signature = respell(random, proof.signature);
    return isSameHex(signature, proof.signature) ? undefined : { ...proof, signature };
  },
  'malleable form': malleate,
  'message changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'account bytes changed': (random, proof) => ({ ...proof, address: mutateEncoded(random, proof.address, checked) }),
  'address text changed': (random, proof) => ({ ...proof, address: mutateBase58(random, proof.address) }),
  'address spelled otherwise': (random, proof) => ({ ...proof, address: respell(random, proof.address) }),
  'key changed': (random, proof) =>
    proof.publicKey === undefined ? undefined : { ...proof, publicKey: mutateHex(random, proof.publicKey) },
  'key spelled otherwise': (random, proof) => {
    const publicKey = respell(random, proof.publicKey ?? 'none');
    return isSameHex(publicKey, proof.publicKey ?? '') ? undefined : { ...proof, publicKey };
  },
  'chain changed': (random, proof) => ({
    ...proof,
    chain: random.pick(['', '00', '3', '-0', '0 ', '0x0', 'xrpl:0', '０']),
  }),
  'signature of another proof': (_random, proof, other) =>
    proof.signature === other.signature ? undefined : { ...proof, signature: other.signature },
  'key of another proof': (_random, proof, other) =>
    proof.publicKey === other.publicKey ? undefined : { ...proof, publicKey: other.publicKey },
  'address of another proof': (_random, proof, other) =>
    proof.address === other.address ? undefined : { ...proof, address: other.address },
  'message of another proof': (_random, proof, other) =>
    proof.message === other.message ? undefined : { ...proof, message: other.message },
};

test('no mutation of a valid XRP Ledger proof is valid', async (t) => {
  const wallets = createXrplWallets();
  const verify = (proof: XrplProof) => wallets.verify(proof);
  const run = { seed: seed('xrpl mutations'), rounds: volume(150, 10_000), proofs: validProofs(), spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});
