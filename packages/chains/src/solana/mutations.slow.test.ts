import { test } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { seed, volume } from '@latchkey/test-kit';
import { ed25519 } from '@noble/curves/ed25519.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { mutateBase58, mutateText, respell, seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { describeCounts, refuseMutations, type Spoil } from '../../vectors/refuse-mutations.ts';
import { addGroupOrder } from '../testing/add-group-order.ts';
import { createSolanaWallets, solanaChains } from './index.ts';

const [mainnet = ''] = solanaChains;

function validProofs(): WalletProof[] {
  const published = readVectors('solana').filter((vector) => vector.valid && vector.messageEncoding !== 'hex');
  const random = seededRandom('solana keys');
  const own = Array.from({ length: 8 }, (_, n) => {
    const secretKey = random.bytes(32);
    const message = `Latchkey login ${n}\nNonce: ${random.below(1e9)}`;
    const signature = base58.encode(ed25519.sign(utf8ToBytes(message), secretKey));
    return { chain: mainnet, address: base58.encode(ed25519.getPublicKey(secretKey)), message, signature };
  });
  return [
    ...published.map(({ address, message, signature, scheme }) => {
      const details = { format: scheme === 'offchain-v0' ? 'offchain-v0' : 'message' };
      return { chain: mainnet, address, message, signature: String(signature), details };
    }),
    ...own,
  ];
}

const signatureOf = (proof: WalletProof) => String(proof.signature);

const spoils: Record<string, Spoil<WalletProof>> = {
  'signature changed': (random, proof) => ({ ...proof, signature: mutateBase58(random, signatureOf(proof)) }),
  'signature spelled otherwise': (random, proof) => ({ ...proof, signature: respell(random, signatureOf(proof)) }),
  'order added to the scalar': (_random, proof) => ({
    ...proof,
    signature: base58.encode(addGroupOrder(base58.decode(signatureOf(proof)))),
  }),
  'message changed': (random, proof) => ({ ...proof, message: mutateText(random, proof.message) }),
  'address changed': (random, proof) => ({ ...proof, address: mutateBase58(random, proof.address) }),
  'address spelled otherwise': (random, proof) => ({ ...proof, address: respell(random, proof.address) }),
  'chain changed': (random, proof) => ({ ...proof, chain: mutateText(random, proof.chain) }),
  'format changed': (random, proof) => {
    const format = proof.details?.format === 'offchain-v0' ? 'message' : 'offchain-v0';
    return { ...proof, details: { format: random.pick([format, 'offchain-v1', '', 0]) } };
  },
  'signature of another proof': (_random, proof, other) =>
    proof.signature === other.signature ? undefined : { ...proof, signature: other.signature },
  'message of another proof': (_random, proof, other) =>
    proof.message === other.message ? undefined : { ...proof, message: other.message },
  'address of another proof': (_random, proof, other) =>
    proof.address === other.address ? undefined : { ...proof, address: other.address },
};

test('no mutation of a valid Solana proof is valid', async (t) => {
  const wallets = createSolanaWallets();
  const verify = (proof: WalletProof) => wallets.verify(proof);
  const run = { seed: seed('solana mutations'), rounds: volume(150, 10_000), proofs: validProofs(), spoils, verify };
  t.diagnostic(describeCounts(await refuseMutations(run)));
});
