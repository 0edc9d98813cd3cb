// Compiles the NEAR contracts that are deployed to a network: `node scripts/build-near-contracts.ts`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  artifactFolder,
  compileNearContract,
  digestOfSources,
  fetchCompiler,
  findCompiler,
  nearContracts,
} from '@latchkey/emulators/compile-near-contracts';

const compiler = findCompiler() ?? fetchCompiler();
for (const contract of nearContracts) {
  const code = compileNearContract(compiler, contract);
  writeFileSync(join(artifactFolder, `${contract}.wasm`), code);
  console.log(`${contract}: ${code.length} bytes`);
}
writeFileSync(join(artifactFolder, 'built-from.sha256'), `${digestOfSources()}\n`);
