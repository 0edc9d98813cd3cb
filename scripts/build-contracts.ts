// Compiles the contracts of the development chain and writes what a node needs of them:
// `node scripts/build-contracts.ts && npx biome check --write packages/twins/src/evm-chain/artifacts`.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compileContracts } from '../packages/twins/src/evm-chain/testing/compile-contracts.ts';

const folder = resolve(import.meta.dirname, '../packages/twins/src/evm-chain/artifacts');

for (const [name, artifact] of Object.entries(compileContracts())) {
  writeFileSync(resolve(folder, `${name}.json`), `${JSON.stringify(artifact, undefined, 2)}\n`);
  console.log(`${name}: ${(artifact.deployedBytecode.length - 2) / 2} bytes`);
}
