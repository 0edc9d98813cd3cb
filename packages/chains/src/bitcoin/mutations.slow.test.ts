import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base64 } from '@scure/base';
import { Address, RawTx, RawWitness, TEST_NETWORK } from '@scure/btc-signer';
import { mutateBase64, mutateText, respell, type SeededRandom } from '../../vectors/mutate.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { findNetwork, parseAddress } from './address.ts';
import { createBitcoinWallets } from './index.ts';
import { validProofs } from './test-vectors.ts';
import { variants } from './verify.ts';

const wallets = createBitcoinWallets();

/** Splits a signature into its prefix and its bytes. */
function partsOf({ signature }: WalletProof) {
  const text = String(signature);
  const prefix = variants.find((variant) => text.startsWith(variant)) ?? '';
  return { prefix, text: text.slice(prefix.length), bytes: base64.decode(text.slice(prefix.length)) };
}

const isLegacy = (proof: WalletProof) => partsOf(proof).prefix === '' && partsOf(proof).bytes.length === 65;
const isSimple = (proof: WalletProof) => !isLegacy(proof) && ['', 'smp'].includes(partsOf(proof).prefix);
const sign = (proof: WalletProof, bytes: Uint8Array) => ({
  ...proof,
  signature: partsOf(proof).prefix + base64.encode(bytes),
});

/** Different notations of one address, and one key on two networks, have the same script. */
function isSameChallenge(one: WalletProof, other: WalletProof): boolean {
  const scripts = [one, other].map(({ address, chain }) => `${parseAddress(address, chain)?.script}`);
  return one.message === other.message && scripts[0] === scripts[1];
}

function unlessSame(proof: WalletProof, changed: WalletProof): WalletProof | undefined {
  return isSameChallenge(proof, changed) ? undefined : changed;
}

function encodeAddress(random: SeededRandom, hash: Uint8Array): string {
  return random.pick([
    () => Address().encode({ type: 'pkh', hash }),
    () => Address().encode({ type: 'wpkh', hash }),
    () => Address().encode({ type: 'sh', hash }),
  ])();
}

/** Returns the same signature with the other s, which a node would not relay. */
function withHighS(signature: Uint8Array): Uint8Array {
  const { r, s } = secp256k1.Signature.fromBytes(signature.subarray(0, -1), 'der');
  const emulator = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s);
  return Uint8Array.of(...emulator.toBytes('der'), ...signature.subarray(-1));
}

function changeWitness(change: (random: SeededRandom, witness: Uint8Array[]) => Uint8Array[] | undefined) {
  return (random: SeededRandom, proof: WalletProof) => {
    if (!isSimple(proof)) return undefined;
    const changed = change(random, RawWitness.decode(partsOf(proof).bytes));
    return changed && sign(proof, RawWitness.encode(changed));
  };
}

type Transaction = ReturnType<typeof RawTx.decode>;

function changeTransaction(change: (random: SeededRandom, transaction: Transaction) => Partial<Transaction>) {
  return (random: SeededRandom, proof: WalletProof) => {
    if (partsOf(proof).prefix !== 'ful') return undefined;
    const transaction = RawTx.decode(partsOf(proof).bytes);
    return sign(proof, RawTx.encode({ ...transaction, ...change(random, transaction) }));
  };
}

const spoils: Record<string, Spoil<WalletProof>> = {
  'signature changed': (random, proof) => ({
    ...proof,
    signature: partsOf(proof).prefix + mutateBase64(random, partsOf(proof).text),
  }),
  'signature spelled otherwise': (random, proof) => ({ ...proof, signature: respell(random, String(proof.signature)) }),
  // The prefix is optional for the simple variant, so removing or adding it changes nothing.
  'prefix changed': (random, proof) => {
    const { prefix, text } = partsOf(proof);
    const others = ['', 'smp', 'ful', 'pof', 'SMP', 'foo', 'smpsmp'].filter((other) => other !== prefix);
    const other = random.pick(others);
    return isSimple(proof) && ['', 'smp'].includes(other) ? undefined : { ...proof, signature: other + text };
  },
  'message changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'address changed': (random, proof) => unlessSame(proof, { ...proof, address: mutateText(random, proof.address) }),
  'address of other bytes': (random, proof) => ({ ...proof, address: encodeAddress(random, random.bytes(20)) }),
  'address of another kind for the same hash': (random, proof) => {
    const decoded = Address(findNetwork(proof.chain)).decode(proof.address);
    if (decoded.type !== 'pkh' && decoded.type !== 'wpkh' && decoded.type !== 'sh') return undefined;
    return unlessSame(proof, { ...proof, chain: 'mainnet', address: encodeAddress(random, decoded.hash) });
  },
  'network changed': (random, proof) => {
    const others = ['mainnet', 'testnet', 'regtest', 'MAINNET', '', ' mainnet', 'bitcoin', '__proto__'];
    const chain = random.pick(others.filter((other) => other !== proof.chain));
    return { ...proof, chain };
  },
  'signature of another proof': (_random, proof, other) =>
    isSameChallenge(proof, other) ? undefined : { ...proof, signature: other.signature },
  'message of another proof': (_random, proof, other) => unlessSame(proof, { ...proof, message: other.message }),
  'address of another proof': (_random, proof, other) =>
    unlessSame(proof, { ...proof, chain: other.chain, address: other.address }),
  'high s in a witness': changeWitness((random, witness) => {
    const places = [...witness.keys()].filter((place) => witness[place]?.[0] === 0x30);
    if (places.length === 0) return undefined;
    const place = random.pick(places);
    return witness.map((item, index) => (index === place ? withHighS(item) : item));
  }),
  'other hash type': changeWitness((random, witness) => {
    const type = random.pick([0, 2, 3, 4, 0x81, 0x82, 0x83, 0xff]);
    return witness
      .map((item) => (item[0] === 0x30 || item.length === 65 ? Uint8Array.of(...item.slice(0, -1), type) : item))
      .map((item) => (item.length === 64 ? Uint8Array.of(...item, type) : item));
  }),
  'witness with other items': changeWitness((random, witness) =>
    random.pick([
      () => [...witness, new Uint8Array()],
      () => [new Uint8Array(), ...witness],
      () => witness.slice(1),
      () => witness.slice(0, -1),
      () => [...witness, ...witness],
      () => (witness.length > 1 ? witness.toReversed() : undefined),
    ])(),
  ),
  'transaction with other numbers': changeTransaction((random, transaction) =>
    random.pick([
      () => ({ version: random.pick([0, 1, 3, -1]) }),
      () => ({ lockTime: transaction.lockTime + 1 }),
      () => ({ inputs: transaction.inputs.map((input) => ({ ...input, sequence: input.sequence + 1 })) }),
      () => ({ inputs: transaction.inputs.map((input) => ({ ...input, index: 1 })) }),
      () => ({ outputs: [{ amount: 1n, script: Uint8Array.of(0x6a) }] }),
      () => ({ outputs: [{ amount: 0n, script: Uint8Array.of(0x51) }] }),
      () => ({ outputs: [...transaction.outputs, ...transaction.outputs] }),
    ])(),
  ),
  'transaction with a stray script or witness': changeTransaction((random, transaction) =>
    random.pick([
      () => ({
        inputs: transaction.inputs.map((input) => ({
          ...input,
          finalScriptSig: Uint8Array.of(
            ...random.pick([[0x00], [0x51], [0x01, 0x07], [0x61]]),
            ...input.finalScriptSig,
          ),
        })),
      }),
      () => ({ segwitFlag: true, witnesses: [[...(transaction.witnesses?.[0] ?? []), random.bytes(33)]] }),
    ])(),
  ),
};

test('no mutation of a valid Bitcoin proof is valid', async (t) => {
  const run = {
    seed: seed('bitcoin mutations'),
    rounds: volume(150, 10_000),
    proofs: validProofs,
    spoils,
    verify: wallets.verify,
  };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});

test('only the listed encodings represent the same Bitcoin proof', async () => {
  const equivalents: Record<string, Spoil<WalletProof>> = {
    'Bech32 in capitals': (_random, proof) =>
      /^(bc|tb)1/.test(proof.address) ? { ...proof, address: proof.address.toUpperCase() } : undefined,
    'the same key on a test network': (_random, proof) =>
      proof.chain === 'mainnet'
        ? { ...proof, chain: 'signet', address: Address(TEST_NETWORK).encode(Address().decode(proof.address)) }
        : undefined,
    'the simple variant with or without its prefix': (_random, proof) => {
      const { prefix, text } = partsOf(proof);
      return isSimple(proof) ? { ...proof, signature: prefix === '' ? `smp${text}` : text } : undefined;
    },
    'high s outside of scripts, which BIP-137 does not forbid': (_random, proof) => {
      if (!isLegacy(proof)) return undefined;
      const [header = 0, ...numbers] = partsOf(proof).bytes;
      const { r, s } = secp256k1.Signature.fromBytes(Uint8Array.from(numbers), 'compact');
      const emulator = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s);
      return sign(proof, Uint8Array.of(((header - 27) ^ 1) + 27, ...emulator.toBytes('compact')));
    },
  };
  const unused = { below: () => 0, pick: <T>(list: readonly T[]) => list[0] as T, bytes: () => new Uint8Array() };
  for (const [kind, respelled] of Object.entries(equivalents)) {
    const proofs = validProofs.map((proof) => respelled(unused, proof, proof)).filter((proof) => proof !== undefined);
    assert.ok(proofs.length > 5, kind);
    for (const proof of proofs) assert.equal((await wallets.verify(proof)).kind, 'valid', `${kind}: ${proof.address}`);
  }
});
