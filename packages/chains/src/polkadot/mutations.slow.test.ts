import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { mutateHex, mutateText, respell, type SeededRandom } from '../../vectors/mutate.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { addGroupOrder } from '../testing/add-group-order.ts';
import { decodeSs58, encodeSs58 } from './ss58.ts';
import { polkadotVectors, proofOfVector, walletsOfVector } from './test-vectors.ts';

interface Case {
  wallets: WalletNamespace;
  proof: WalletProof;
}

type Change = (random: SeededRandom, proof: WalletProof, other: WalletProof) => WalletProof | undefined;

const cases: Case[] = polkadotVectors
  .filter(({ valid }) => valid)
  .map((vector) => ({ wallets: walletsOfVector(vector), proof: proofOfVector(vector) }));

const bytesOf = (proof: WalletProof) => hexToBytes(String(proof.signature).slice(2));
const sign = (proof: WalletProof, bytes: Iterable<number>) => ({
  ...proof,
  signature: `0x${bytesToHex(Uint8Array.from(bytes))}`,
});
const isEcdsa = (proof: WalletProof) => proof.details?.cryptoType === 'ecdsa';
/** Without the key type byte. */
const plainOf = (proof: WalletProof) => bytesOf(proof).slice(isEcdsa(proof) ? -65 : -64);

/** One signature can be encoded with or without its key type, and its recovery bit in two ways. */
function meaningOf(signature: string): string {
  const digits = signature.slice(2).replace(/^0[012](?=(?:..){64,65}$)/, '');
  return digits.replace(/^(.{128})(?:1b|1c)$/, (_all, numbers) => `${numbers}0${digits.endsWith('1b') ? 0 : 1}`);
}

/** Returns an address of other bytes with a valid checksum. */
function changeAccount(random: SeededRandom, address: string): string | undefined {
  const decoded = decodeSs58(address);
  if (!decoded) return undefined;
  const place = random.below(32);
  const account = decoded.account.map((byte, index) => (index === place ? byte ^ (1 << random.below(8)) : byte));
  return encodeSs58({ ...decoded, account });
}

const changes: Record<string, Change> = {
  'signature changed': (random, proof) => {
    const signature = mutateHex(random, String(proof.signature));
    return meaningOf(signature) === meaningOf(String(proof.signature)) ? undefined : { ...proof, signature };
  },
  'signature spelled otherwise': (random, proof) => ({ ...proof, signature: respell(random, String(proof.signature)) }),
  'kind of key in front changed': (random, proof) => {
    const kinds = isEcdsa(proof) ? [0, 1, 3, 0xff] : [2, 3, 0xff];
    return sign(proof, [random.pick(kinds), ...plainOf(proof)]);
  },
  'kind of key declared otherwise': (random, proof) => {
    const kind = isEcdsa(proof) ? random.pick(['sr25519', 'ed25519']) : random.pick(['ecdsa', 'ethereum']);
    return { ...proof, details: { cryptoType: random.pick([kind, 'SR25519', '', 0, null]) } };
  },
  'recovery bit changed': (random, proof) =>
    isEcdsa(proof)
      ? sign(proof, [...plainOf(proof).slice(0, 64), random.pick([2, 3, 4, 26, 29, 30, 31, 255])])
      : undefined,
  'order added to the scalar': (_random, proof) =>
    isEcdsa(proof) ? undefined : sign(proof, addGroupOrder(plainOf(proof))),
  'top bit of the scalar turned': (_random, proof) =>
    isEcdsa(proof)
      ? undefined
      : sign(
          proof,
          plainOf(proof).map((byte, place) => (place === 63 ? byte ^ 0x80 : byte)),
        ),
  'message changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'message wrapped by hand': (random, proof) => ({
    ...proof,
    message: random.pick([`<Bytes>${proof.message}`, `${proof.message}</Bytes>`, `<bytes>${proof.message}</bytes>`]),
  }),
  'address changed': (random, proof) => {
    const address = mutateText(random, proof.address);
    return address.toLowerCase() === proof.address.toLowerCase() ? undefined : { ...proof, address };
  },
  'account changed': (random, proof) => {
    const address = changeAccount(random, proof.address);
    return address === undefined ? undefined : { ...proof, address };
  },
  'prefix of another chain': (random, proof) => {
    const decoded = decodeSs58(proof.address);
    if (!decoded) return undefined;
    const prefixes = [0, 1, 3, 7, 41, 43, 64, 255, 1284, 16_383];
    return { ...proof, address: encodeSs58({ ...decoded, prefix: random.pick(prefixes) }) };
  },
  'chain changed': (random, proof) => ({
    ...proof,
    chain: random.pick(['polkadot', 'acala', 'moonbase', '', 'KUSAMA', 'constructor', '__proto__']),
  }),
  'signature of another proof': (_random, proof, other) =>
    meaningOf(String(proof.signature)) === meaningOf(String(other.signature)) || isSameClaim(proof, other)
      ? undefined
      : { ...proof, signature: other.signature },
  'message of another proof': (_random, proof, other) =>
    proof.message === other.message ? undefined : { ...proof, message: other.message },
  'address of another proof': (_random, proof, other) =>
    isSameClaim(proof, other) ? undefined : { ...proof, address: other.address },
};

function isSameClaim(one: WalletProof, other: WalletProof): boolean {
  return one.address === other.address && one.message === other.message;
}

const spoils: Record<string, Spoil<Case>> = Object.fromEntries(
  Object.entries(changes).map(([kind, change]) => [
    kind,
    (random: SeededRandom, { wallets, proof }: Case, other: Case) => {
      const changed = change(random, proof, other.proof);
      return changed && { wallets, proof: changed };
    },
  ]),
);

test('no mutation of a valid Polkadot proof is valid', async (t) => {
  const verify = ({ wallets, proof }: Case) => wallets.verify(proof);
  const run = { seed: seed('polkadot mutations'), rounds: volume(150, 10_000), proofs: cases, spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});

test('only the listed encodings represent the same Polkadot proof', async () => {
  const equivalents: Record<string, (proof: WalletProof) => WalletProof | undefined> = {
    'digits in capitals': (proof) => ({
      ...proof,
      signature: `0x${String(proof.signature).slice(2).toUpperCase()}`,
    }),
    'the address with the prefix of no chain': (proof) => {
      const decoded = decodeSs58(proof.address);
      return decoded && { ...proof, address: encodeSs58({ ...decoded, prefix: 42 }) };
    },
    'a recovery bit of 27 and 28': (proof) =>
      isEcdsa(proof)
        ? sign(
            proof,
            plainOf(proof).map((byte, place) => (place === 64 ? byte + 27 : byte)),
          )
        : undefined,
    'high s, which Substrate does not forbid': (proof) => {
      if (!isEcdsa(proof)) return undefined;
      const [r, s] = [plainOf(proof).slice(0, 32), plainOf(proof).slice(32, 64)];
      const { Fn } = secp256k1.Point;
      return sign(proof, [...r, ...Fn.toBytes(Fn.neg(Fn.fromBytes(s))), (plainOf(proof)[64] ?? 0) ^ 1]);
    },
    'an Ethereum address in small letters': (proof) =>
      proof.address.startsWith('0x') ? { ...proof, address: proof.address.toLowerCase() } : undefined,
  };
  for (const [kind, respelled] of Object.entries(equivalents)) {
    const found = cases.flatMap(({ wallets, proof }) => ({ wallets, proof: respelled(proof) }));
    const applied = found.filter((one): one is Case => one.proof !== undefined);
    assert.ok(applied.length > 1, kind);
    for (const { wallets, proof } of applied) {
      assert.equal((await wallets.verify(proof)).kind, 'valid', `${kind}: ${proof.address}`);
    }
  }
});
