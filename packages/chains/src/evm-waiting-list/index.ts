import type { QuoteTerms, RegistryAnswer, WaitingListChain } from '@latchkey/core/ports';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { Address, Hex, TypedDataDomain } from 'viem';
import { encodeFunctionData, hashTypedData, parseAbi, toHex } from 'viem/utils';
import { evmAddressOf } from '../evm/address-of-key.ts';
import { signRecoverably } from '../evm/recover-signer.ts';
import type { RpcOptions } from '../evm/rpc.ts';

export interface WaitingListChainOptions {
  /** Returns the nodes of a chain, by its decimal id. They are tried in turn until one responds. */
  rpcUrlsOf(chain: string): readonly string[];
  timeoutMs: number;
  fetch: typeof globalThis.fetch;
}

const abi = parseAbi(['function isRegistered(bytes32 userIdHash) view returns (bool)']);
const [yes, no] = [toHex(1, { size: 32 }), toHex(0, { size: 32 })];

/** Signs quotes that the waiting list contract accepts, and reads from it who is registered. */
export function createWaitingListChain(options: WaitingListChainOptions): WaitingListChain {
  return {
    quoteFormat: { domain: { name: quoteName, version: quoteVersion }, types: quoteTypes, primaryType: 'Quote' },
    signerAddress: evmAddressOf,
    signQuote: async (privateKey, terms) => {
      const digest = hashTypedData({
        domain: quoteDomain(terms),
        types: quoteTypes,
        primaryType: 'Quote',
        message: {
          userIdHash: asHex(terms.userIdHash),
          price: terms.priceWei,
          expiresAt: BigInt(terms.expiresAtSeconds),
        },
      });
      return signRecoverably(privateKey, hexToBytes(digest.slice(2)));
    },
    readRegistered: async ({ chainId, contractAddress, userIdHash }, signal) => {
      const data = encodeFunctionData({ abi, functionName: 'isRegistered', args: [asHex(userIdHash)] });
      let answer: RegistryAnswer = { kind: 'unknown', reason: `No node is configured for chain ${chainId}.` };
      for (const url of options.rpcUrlsOf(String(chainId))) {
        answer = await ask({ ...options, url, signal }, chainId, { to: asHex(contractAddress), data });
        if (answer.kind === 'read') break;
      }
      return answer;
    },
  };
}

async function ask(options: RpcOptions, chainId: number, call: { to: Hex; data: Hex }): Promise<RegistryAnswer> {
  try {
    const { createEvmRpc } = await import('../evm/rpc.ts');
    const rpc = createEvmRpc(options);
    const [chain, answer] = await Promise.all([rpc.chainId(), rpc.call(call)]);
    if (chain !== String(chainId))
      return { kind: 'unknown', reason: `A node configured for chain ${chainId} is on another chain.` };
    if (answer === yes || answer === no) return { kind: 'read', isRegistered: answer === yes };
    return { kind: 'unknown', reason: `The contract on chain ${chainId} is not a waiting list.` };
  } catch {
    return { kind: 'unknown', reason: `No node for chain ${chainId} responded.` };
  }
}

/** The quote in EIP-712 form. The contract has the same type. */
const quoteTypes = {
  Quote: [
    { name: 'userIdHash', type: 'bytes32' },
    { name: 'price', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
  ],
} as const;

const quoteName = 'Latchkey Waiting List';
const quoteVersion = '1';

/** The chain and the contract are part of what is signed, so that a quote is valid nowhere else. */
function quoteDomain({ chainId, contractAddress }: Pick<QuoteTerms, 'chainId' | 'contractAddress'>): TypedDataDomain {
  return { name: quoteName, version: quoteVersion, chainId, verifyingContract: asHex(contractAddress) };
}

/** Callers have already checked the form of addresses and hashes. */
function asHex(text: string): Address & Hex {
  if (!/^0x[0-9a-fA-F]+$/.test(text)) throw new Error('An address or a hash is 0x and hexadecimal digits.');
  return text as Hex;
}
