import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { mutateHex, mutateText, respell, type SeededRandom } from '../../vectors/mutate.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { flowVectors, keysOfVector, proofOfVector, type VectorKey, walletsOf } from './test-vectors.ts';

type Composite = Record<'addr' | 'signature' | 'f_type', string> & { keyId: number };

interface Case {
  /** The account that exists on the chain. */
  account: string;
  keys: VectorKey[];
  proof: WalletProof & { signature: Composite[] };
}

const cases: Case[] = flowVectors
  .filter(({ valid }) => valid)
  .map((vector) => {
    const proof = proofOfVector(vector);
    const signature = proof.signature as Composite[]; // All vectors of this chain have such a list.
    return { account: vector.address, keys: keysOfVector(vector), proof: { ...proof, signature } };
  });

const verify = ({ account, keys, proof }: Case) => walletsOf(account, keys).verify(proof);

/** Changes one signature of the list. */
function changeOne(change: (random: SeededRandom, one: Composite) => object): Spoil<Case> {
  return (random, given) => {
    const list = [...given.proof.signature];
    const place = random.below(list.length);
    const one = list[place];
    if (one) list[place] = { ...one, ...change(random, one) };
    return { ...given, proof: { ...given.proof, signature: list } };
  };
}

/** Changes one key that the account has and needs. */
function changeKey(change: (random: SeededRandom, key: VectorKey) => object | undefined): Spoil<Case> {
  return (random, given) => {
    const needed = random.pick(given.proof.signature).keyId;
    const key = given.keys.find(({ index }) => index === needed);
    const changed = key && change(random, key);
    return changed && { ...given, keys: given.keys.map((one) => (one === key ? { ...one, ...changed } : one)) };
  };
}

function changeProof(change: (random: SeededRandom, proof: Case['proof'], other: Case['proof']) => object | undefined) {
  const spoil: Spoil<Case> = (random, given, other) => {
    const changed = change(random, given.proof, other.proof);
    return changed && { ...given, proof: { ...given.proof, ...changed } };
  };
  return spoil;
}

const spellings = (address: string) => BigInt(`0x${address.replace(/^0x/, '')}`);

/** Leading zeros, a missing 0x and upper-case digits are the same address. */
function unlessSameAddress(given: string, changed: string): string {
  return /^(0x)?[0-9a-fA-F]{1,16}$/.test(changed) && spellings(changed) === spellings(given) ? '' : changed;
}

const spoils: Record<string, Spoil<Case>> = {
  'signature changed': changeOne((random, { signature }) => ({ signature: mutateHex(random, signature) })),
  'signature spelled otherwise': changeOne((random, { signature }) => {
    const spelled = respell(random, signature);
    return { signature: spelled.toLowerCase() === signature ? `${signature} ` : spelled };
  }),
  'signature doubled': (random, given) => ({
    ...given,
    proof: { ...given.proof, signature: [...given.proof.signature, random.pick(given.proof.signature)] },
  }),
  'signature lost': (random, given) => ({
    ...given,
    proof: {
      ...given.proof,
      signature: given.proof.signature.toSpliced(random.below(given.proof.signature.length), 1),
    },
  }),
  'number of the key changed': changeOne((random, { keyId }) => ({
    keyId: random.pick([keyId + 1, keyId + 7, -1, 0.5, `${keyId}.0`, `0${keyId}`, ` ${keyId}`, null, undefined]),
  })),
  'address of a signature changed': changeOne((random, { addr }) => ({
    addr: unlessSameAddress(addr, random.below(2) ? mutateText(random, addr) : mutateHex(random, addr)),
  })),
  'type of a signature changed': changeOne((random, { f_type }) => ({ f_type: mutateText(random, f_type) })),
  'message changed': changeProof((random, { message }) => ({ message: mutateText(random, message) })),
  'address changed': changeProof((random, { address }) => ({
    address: unlessSameAddress(address, random.below(2) ? mutateText(random, address) : mutateHex(random, address)),
  })),
  'address and those of its signatures changed': changeProof((random, proof) => {
    const address = unlessSameAddress(proof.address, mutateHex(random, proof.address));
    return { address, signature: proof.signature.map((one) => ({ ...one, addr: address })) };
  }),
  'chain changed': changeProof((random) => ({
    chain: random.pick(['mainnet', 'testnet', 'previewnet', '', 'Emulator', 'constructor', '__proto__']),
  })),
  'scheme changed': changeProof((random, { details }) => {
    const others = ['user-signature', 'account-proof', 'transaction', 'User-Signature', '', 7, null];
    return { details: { scheme: random.pick(others.filter((other) => other !== details?.scheme)) } };
  }),
  // Of the same length: a key of another length is a malformed response, which makes the result unknown.
  'key changed': changeKey((random, { publicKey }) => {
    const changed = mutateHex(random, publicKey);
    // A node that sends no key at all makes the proof unknown, which the tests of the reader cover.
    const isKey = changed.length === publicKey.length && /^[0-9a-f]+$/.test(changed);
    return isKey ? { publicKey: changed } : undefined;
  }),
  'key lighter': changeKey((random, { weight }) => ({ weight: random.below(weight) })),
  'key revoked': changeKey(() => ({ revoked: true })),
  'key of another curve': changeKey((_random, { signAlgo }) => ({
    signAlgo: signAlgo === 'ECDSA_P256' ? 'ECDSA_secp256k1' : 'ECDSA_P256',
  })),
  'key of another hash': changeKey((random, { hashAlgo }) => ({
    hashAlgo: random.pick(['SHA2_256', 'SHA3_256', 'SHA2_384', 'KMAC128'].filter((other) => other !== hashAlgo)),
  })),
  'key of another index': changeKey((random, { index }) => ({ index: index + 2 + random.below(9) })),
  'signatures of another proof': changeProof((_random, proof, other) =>
    isSameClaim(proof, other)
      ? undefined
      : { signature: other.signature.map((one) => ({ ...one, addr: proof.address })) },
  ),
  'message of another proof': changeProof((_random, proof, other) =>
    proof.message === other.message ? undefined : { message: other.message },
  ),
};

function isSameClaim(one: WalletProof, other: WalletProof): boolean {
  return one.message === other.message && one.address === other.address;
}

test('no mutation of a valid Flow proof is valid', async (t) => {
  const run = { seed: seed('flow mutations'), rounds: volume(150, 10_000), proofs: cases, spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});

/** Returns the malleable form of a signature, which Flow does not forbid. */
function withOtherS(given: Case): Case {
  const signature = given.proof.signature.map((one) => {
    const key = given.keys.find(({ index }) => index === one.keyId);
    const { Fn } = key?.signAlgo === 'ECDSA_P256' ? p256.Point : secp256k1.Point;
    const s = Fn.neg(Fn.fromBytes(Buffer.from(one.signature.slice(64), 'hex')));
    return { ...one, signature: one.signature.slice(0, 64) + s.toString(16).padStart(64, '0') };
  });
  return { ...given, proof: { ...given.proof, signature } };
}

test('only the listed encodings represent the same Flow proof', async () => {
  const changeAll = (given: Case, change: (one: Composite) => object): Case => {
    const signature = given.proof.signature.map((one) => ({ ...one, ...change(one) }));
    return { ...given, proof: { ...given.proof, signature } };
  };
  const withAddress = (given: Case, address: string): Case => ({ ...given, proof: { ...given.proof, address } });
  const equivalents: Record<string, (given: Case) => Case> = {
    'high s instead of low, and low instead of high': withOtherS,
    'digits in capitals': (given) => changeAll(given, (one) => ({ signature: one.signature.toUpperCase() })),
    'the number of the key as text': (given) => changeAll(given, (one) => ({ keyId: `${one.keyId}` })),
    'no type of signature': (given) => changeAll(given, () => ({ f_type: undefined })),
    'addresses without 0x': (given) =>
      withAddress(
        changeAll(given, (one) => ({ addr: one.addr.replace('0x', '') })),
        given.proof.address.slice(2),
      ),
    'addresses without leading zeros': (given) =>
      withAddress(given, `0x${given.proof.address.slice(2).replace(/^0+/, '')}`),
    'addresses in capital digits': (given) => withAddress(given, `0x${given.proof.address.slice(2).toUpperCase()}`),
    'signatures in another order': (given) => ({
      ...given,
      proof: { ...given.proof, signature: given.proof.signature.toReversed() },
    }),
    'fields that nobody asked for': (given) => changeAll(given, () => ({ f_vsn: '2.0.0', extra: true })),
  };
  for (const [kind, respelled] of Object.entries(equivalents)) {
    for (const given of cases) assert.equal((await verify(respelled(given))).kind, 'valid', kind);
  }
});
