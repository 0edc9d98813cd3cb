import type { ProofVerdict, WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

/** A proof whose chain is known and whose address is in canonical form. */
export interface WalletClaim extends Omit<WalletProof, 'details'> {
  details: Readonly<Record<string, unknown>>;
}

export interface NamespaceRules {
  namespace: string;
  /** The supported chains of the namespace, by CAIP-2 reference. */
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

/** Returns the result of a lookup, or undefined if it failed: a chain that cannot be read decides nothing. */
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
 * Creates a namespace from its rules, after the checks that all chains share. The rules decide about everything that a sender can get
 * wrong, with `readInput` around libraries that refuse by throwing, so any exception is our own failure and is rethrown.
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
