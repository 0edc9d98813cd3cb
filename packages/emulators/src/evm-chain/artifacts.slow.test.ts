import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { readArtifact } from './artifact.ts';
import { compileContracts } from './testing/compile-contracts.ts';

it('the committed artifacts match the compiled sources', () => {
  const compiled = compileContracts();
  const files = readdirSync(join(import.meta.dirname, 'artifacts'));
  const hint = 'run `node scripts/build-contracts.ts`';
  assert.deepEqual(
    files.toSorted(),
    Object.keys(compiled)
      .map((name) => `${name}.json`)
      .toSorted(),
    hint,
  );
  for (const [name, artifact] of Object.entries(compiled))
    assert.deepEqual(readArtifact(name), artifact, `${name}: ${hint}`);
});
