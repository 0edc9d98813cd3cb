import type { ProofVerdict, WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** A proof whose chain is known and whose address is in its one spelling. */
export interface WalletClaim extends Omit<WalletProof, 'details'> {
  details: Readonly<Record<string, unknown>>;
}

export interface NamespaceRules {
  namespace: string;
  /** The chains of the namespace that are served, as CAIP-2 spells them. */
  chains: readonly string[];
  normalizeAddress(address: string, chain: string): string | undefined;
  verify(claim: WalletClaim, signal: AbortSignal | undefined): ProofVerdict | Promise<ProofVerdict>;
}

export function invalid(reason: string): ProofVerdict {
  return { kind: 'invalid', reason };
}

export function unknown(reason: string): ProofVerdict {
  return { kind: 'unknown', reason };
}

/** What a look-up answers, or undefined when it failed: a chain that cannot be asked decides nothing. */
export async function askOrUndefined<T>(lookUp: () => Promise<T | undefined> | undefined): Promise<T | undefined> {
  try {
    return await lookUp();
  } catch {
    return undefined;
  }
}

async function verifyProof(rules: NamespaceRules, proof: WalletProof, signal?: AbortSignal): Promise<ProofVerdict> {
  const { chain, address, message, details = {} } = proof;
  if (!rules.chains.includes(chain)) return invalid('Unknown chain.');
  if (typeof address !== 'string' || typeof message !== 'string')
    return invalid('The address or message is not a string.');
  if (!isObject(details)) return invalid('The details are not an object.');
  const normalized = rules.normalizeAddress(address, chain);
  if (normalized === undefined) return invalid('This is not an address of this chain.');
  await yieldToEventLoop();
  return rules.verify({ ...proof, address: normalized, details }, signal);
}

/**
 * Makes a namespace of its rules: the checks that all chains share come first. What a sender can get wrong is judged by
 * the rules, with `readInput` around libraries that refuse by throwing, so an exception is a failure of ours and is thrown on.
 */
export function createWalletNamespace(rules: NamespaceRules): WalletNamespace {
  return {
    namespace: rules.namespace,
    chains: rules.chains,
    normalizeAddress(address, chain) {
      return rules.chains.includes(chain) ? rules.normalizeAddress(address, chain) : undefined;
    },
    verify: (proof, signal) => verifyProof(rules, proof, signal),
  };
}
