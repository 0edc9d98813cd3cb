import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Abi, Hex } from 'viem';

/** What compiling one contract gave. `scripts/build-contracts.ts` writes these files. */
export interface Artifact {
  abi: Abi;
  bytecode: Hex;
  deployedBytecode: Hex;
}

export function readArtifact(name: string): Artifact {
  // The file is our own, and a test compares it with what the compiler makes of the sources.
  return JSON.parse(readFileSync(join(import.meta.dirname, 'artifacts', `${name}.json`), 'utf8')) as Artifact;
}
