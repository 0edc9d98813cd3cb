/** Writes the OpenAPI documents that are committed, and says what changed. */
import { writeFileSync } from 'node:fs';
import {
  changesSinceCommit,
  committedDescriptions,
  descriptionsFolder,
  writeDescription,
} from '@latchkey/server/testing/committed-descriptions';

const shownChanges = 100;

for (const name of Object.keys(committedDescriptions) as (keyof typeof committedDescriptions)[]) {
  const text = writeDescription(name);
  const changes = changesSinceCommit(name, text);
  writeFileSync(new URL(name, descriptionsFolder), text);
  console.log(`packages/server/openapi/${name}: ${changes.length === 0 ? 'unchanged' : `${changes.length} changes`}`);
  for (const change of changes.slice(0, shownChanges)) console.log(`  ${change}`);
}
