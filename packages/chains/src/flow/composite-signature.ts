import { hexToBytes } from '@noble/hashes/utils.js';

/** One signature of a list; the keys of an account sign apart and their weights add up. */
export interface CompositeSignature {
  addr: string;
  keyId: number;
  signature: Uint8Array;
}

const maxSignatures = 20;

/** Reads the list a wallet answered; undefined when any part of it is malformed. */
export function readSignatures(value: unknown): CompositeSignature[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxSignatures) return undefined;
  const signatures = value.map(readSignature);
  return signatures.every((signature) => signature !== undefined) ? signatures : undefined;
}

function readSignature(value: unknown): CompositeSignature | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { f_type: type = 'CompositeSignature', addr, keyId, signature }: Record<string, unknown> = { ...value };
  const index = readIndex(keyId);
  if (type !== 'CompositeSignature' || typeof addr !== 'string' || index === undefined) return undefined;
  if (typeof signature !== 'string' || !/^[0-9a-fA-F]{128}$/.test(signature)) return undefined;
  return { addr, keyId: index, signature: hexToBytes(signature) };
}

/** Some wallets write the number of the key as text. */
function readIndex(value: unknown): number | undefined {
  if (typeof value === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
