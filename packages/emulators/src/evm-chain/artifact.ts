import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Abi, Hex } from 'viem';

/** The compiled form of one contract. `scripts/build-contracts.ts` writes these files. */
export interface Artifact {
  abi: Abi;
  bytecode: Hex;
  deployedBytecode: Hex;
}

export function readArtifact(name: string): Artifact {
  // The file is our own, and a test compares it with the compiled sources.
  return JSON.parse(readFileSync(join(import.meta.dirname, 'artifacts', `${name}.json`), 'utf8')) as Artifact;
}
