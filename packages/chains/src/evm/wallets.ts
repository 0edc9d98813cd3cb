import type { ProofVerdict, WalletNamespace } from '@latchkey/core/ports';
import { giveWay } from '../give-way.ts';
import { normalizeEvmAddress } from './address.ts';
import type { ContractAnswer } from './ask-contract.ts';
import { type ReadProof, readProof } from './read-proof.ts';
import { expandCompactSignature, recoverSigner } from './recover-signer.ts';

export interface EvmWalletsOptions {
  /** The JSON-RPC addresses of a chain, best first. Where there are none, only accounts with a key can be proven. */
  rpcUrlsOf(chain: string): readonly string[];
  fetch: typeof globalThis.fetch;
  /** How long one node may take to answer everything that a proof asks it. */
  timeoutMs: number;
  /** Whether accounts may sign in 64 bytes (EIP-2098). It is a second spelling of the same signature. */
  acceptCompactSignatures?: boolean | undefined;
}

function verdictOf(answer: ContractAnswer, address: string, chain: string): ProofVerdict {
  switch (answer) {
    case 'accepted':
      return { kind: 'valid', address, contractChain: chain };
    case 'refused':
      return { kind: 'invalid', reason: 'The contract at this address does not agree.' };
    case 'no-contract':
      return { kind: 'invalid', reason: 'This address did not sign, and there is no contract at it.' };
    case 'unreachable':
      return { kind: 'unknown', reason: 'No node of this chain could be asked whether a contract wallet agrees.' };
  }
}

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const;

/** Wallets of every EVM chain: accounts with a key, and contracts that can say themselves what they agree to. */
export function createEvmWallets(options: EvmWalletsOptions): WalletNamespace {
  const { rpcUrlsOf, acceptCompactSignatures = false, ...rpcOptions } = options;

  function isSignedByKey({ scheme, hash, signature, address }: ReadProof): boolean {
    if (scheme === 'safe') return false;
    const isCompact = acceptCompactSignatures && signature.length === 64;
    return recoverSigner(hash, isCompact ? expandCompactSignature(signature) : signature) === address;
  }

  async function askContractWallet(proof: ReadProof, signal: AbortSignal | undefined): Promise<ProofVerdict> {
    const { chain, address, hash, signature } = proof;
    const urls = rpcUrlsOf(chain);
    if (urls.length === 0) {
      const reason =
        'This address did not sign, and a contract wallet cannot be asked: this server does not read that chain.';
      return { kind: 'invalid', reason };
    }
    const { askContract } = await import('./ask-contract.ts');
    const question = { chain, address: `0x${address.slice(2)}`, hash: hex(hash), signature: hex(signature) } as const;
    return verdictOf(await askContract(question, urls, { ...rpcOptions, signal }), address, chain);
  }

  return {
    namespace: 'evm',
    normalizeAddress: (address) => normalizeEvmAddress(address),
    async verify(proof, signal) {
      const read = await readProof(proof);
      if (read.kind === 'invalid') return read;
      await giveWay();
      if (isSignedByKey(read)) return { kind: 'valid', address: read.address };
      if (proof.details?.keyOnly === true)
        return { kind: 'invalid', reason: 'Only the key of the address itself may sign this.' };
      return askContractWallet(read, signal);
    },
  };
}
