// Compiles the contracts of the development chain and writes their artifacts: `node scripts/build-contracts.ts && npx biome check --write
// packages/emulators/src/evm-chain/artifacts`. Operators deploy the hosted wallet registry too, so the server has its deployment code
// without the development chain.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compileContracts } from '@latchkey/emulators/compile-contracts';

const folder = resolve(import.meta.dirname, '../packages/emulators/src/evm-chain/artifacts');
const registryFile = resolve(import.meta.dirname, '../packages/chains/src/evm-registry/registry-bytecode.ts');

for (const [name, artifact] of Object.entries(compileContracts())) {
  writeFileSync(resolve(folder, `${name}.json`), `${JSON.stringify(artifact, undefined, 2)}\n`);
  if (name === 'WalletRegistry')
    writeFileSync(
      registryFile,
      `// Written by \`node scripts/build-contracts.ts\`.\nexport const registryBytecode =\n  '${artifact.bytecode}';\n`,
    );
  console.log(`${name}: ${(artifact.deployedBytecode.length - 2) / 2} bytes`);
}
