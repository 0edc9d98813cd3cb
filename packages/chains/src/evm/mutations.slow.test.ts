import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { getAddress } from 'viem';
import { mutateHex, mutateText, respell, type SeededRandom, seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { createEvmWallets, parseSiweMessage } from './wallets.ts';

interface Signed extends WalletProof {
  signature: string;
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function readSigned(): Signed[] {
  const vectors = ['ethereum', 'venly', 'opensea'].flatMap(readVectors);
  const usable = vectors.filter(({ valid, messageEncoding, context }) => {
    return valid && messageEncoding === undefined && context?.compact !== true && context?.needsChain === undefined;
  });
  return usable.map(({ address, message, scheme, signature }): Signed => {
    const chain = String(scheme === 'siwe' ? parseSiweMessage(message)?.chainId : 1);
    const shared = { chain, address, signature: String(signature) };
    if (scheme !== 'eip712') return { ...shared, message };
    return { ...shared, message: JSON.stringify(message), details: { scheme } };
  });
}

const parts = (signature: string) => [2, 66, 130].map((start) => signature.slice(start, start + 64));
const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** Returns the malleable form of a signature: the other s, with the other recovery bit. */
function emulator(signature: string): string {
  const [r, s, v = ''] = parts(signature);
  return `0x${r}${word(order - BigInt(`0x${s}`))}${{ '1b': '1c', '1c': '1b', '00': '01', '01': '00' }[v]}`;
}

const signatureChanges: readonly ((random: SeededRandom, signature: string, other: string) => string)[] = [
  (random, signature) => mutateHex(random, signature),
  (random, signature) => mutateHex(random, signature),
  (random, signature) => respell(random, signature),
  (random, signature) => mutateText(random, signature),
  (_random, signature) => emulator(signature),
  (_random, _signature, other) => other,
  (_random, signature) => signature.slice(0, -2),
  (_random, signature) =>
    `0x${parts(signature)
      .toSpliced(0, 2, ...parts(signature).slice(0, 2).reverse())
      .join('')}`,
  (random, signature) => signature.slice(0, -2) + random.pick(['02', '1a', '1d', '25', '26', 'e7', 'ff', '1b', '1c']),
  (random, signature) =>
    `0x${parts(signature)
      .with(random.below(2), random.pick([0n, order, order + 1n, 2n ** 256n - 1n].map(word)))
      .join('')}`,
];

const changes: readonly ((random: SeededRandom, proof: Signed, other: Signed) => Signed)[] = [
  (random, proof, other) => ({
    ...proof,
    signature: random.pick(signatureChanges)(random, proof.signature, other.signature),
  }),
  (random, proof, other) => ({
    ...proof,
    signature: random.pick(signatureChanges)(random, proof.signature, other.signature),
  }),
  (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  (_random, proof, other) => ({ ...proof, message: other.message, details: other.details }),
  (random, proof) => ({ ...proof, address: mutateHex(random, proof.address) }),
  (random, proof) => ({ ...proof, address: mutateText(random, proof.address) }),
  (random, proof) => ({ ...proof, address: respell(random, proof.address) }),
  (random, proof, other) => ({ ...proof, address: random.pick([other.address, `0x${'0'.repeat(40)}`]) }),
  (random, proof) => ({
    ...proof,
    chain: random.pick(['', '0', '01', ' 1', '1 ', '0x1', '-1', '1.0', '1e0', 'eip155:1', '١']),
  }),
  (random, proof) => ({
    ...proof,
    chain: parseSiweMessage(proof.message) || proof.details ? random.pick(['2', '5', '10', '31337']) : '',
  }),
  (random, proof) => ({
    ...proof,
    details: { scheme: random.pick(['safe', 'eip191 ', 'EIP191', 'eip1271', proof.details ? 'eip191' : 'eip712']) },
  }),
];

/** Normalizes a signature to lower case with the recovery bit as 27 or 28; undefined for other text. */
function plainSignature(signature: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined;
  return signature.toLowerCase().replace(/0([01])$/, (_all, bit) => (bit === '0' ? '1b' : '1c'));
}

/** Whether a change is only an accepted encoding: the case of hexadecimal digits, and 0 and 1 for 27 and 28. */
function isSameProof(changed: Signed, proof: Signed): boolean {
  const address = getAddress(proof.address);
  const spellings = [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`];
  return (
    spellings.includes(changed.address) &&
    plainSignature(changed.signature) === plainSignature(proof.signature) &&
    changed.message === proof.message &&
    changed.chain === proof.chain &&
    changed.details?.scheme === proof.details?.scheme
  );
}

test('no change to a proof of an EVM account leaves it valid, except accepted encodings', async (t) => {
  const wallets = createEvmWallets({ fetch, rpcUrlsOf: () => [], timeoutMs: 1000 });
  const signed = readSigned();
  const sown = seed('evm proofs');
  const random = seededRandom(sown);
  const counts = { sources: signed.length, refused: 0, sameInOtherLetters: 0 };
  for (const proof of signed) assert.equal((await wallets.verify(proof)).kind, 'valid', proof.message);
  const rounds = volume(150, 10_000);
  while (counts.refused < rounds) {
    const proof = random.pick(signed);
    const changed = random.pick(changes)(random, proof, random.pick(signed));
    const verdict = await wallets.verify(changed);
    const isSame = isSameProof(changed, proof);
    const failure = `seed ${sown}: ${JSON.stringify({ changed, proof })}`;
    assert.equal(verdict.kind, isSame ? 'valid' : 'invalid', failure);
    counts[isSame ? 'sameInOtherLetters' : 'refused']++;
  }
  t.diagnostic(JSON.stringify(counts));
});
