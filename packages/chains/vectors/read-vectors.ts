import { readFileSync } from 'node:fs';

/** One published or derived case. Chains add their own fields. */
export interface Vector {
  name: string;
  scheme: string;
  address: string;
  message: string;
  messageEncoding?: 'hex' | 'base64' | 'utf8';
  publicKey?: string;
  signature: unknown;
  context?: Record<string, unknown>;
  valid: boolean;
  notes: string;
  [field: string]: unknown;
}

/** Returns the vectors of one chain, by the name of its file. */
export function readVectors(chain: string): Vector[] {
  return JSON.parse(readFileSync(new URL(`${chain}.json`, import.meta.url), 'utf8'));
}
