import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';
import type { Publishable } from './build-package.ts';
import { type ApiDescription, operationsText } from './operations-text.ts';

/** What others install, in the order of their dependencies. */
export const publishable: readonly Publishable[] = [
  {
    folder: 'client',
    // Inferred types need the server's sources; those who install the client have the generated ones.
    generate: () => ({ 'src/operations.ts': operationsText(describe()) }),
    leaveOut: ['src/infer.ts'],
  },
  { folder: 'gate' },
  { folder: 'miniapp', types: ['node'] },
  // Nothing of ours is on npm yet, so it brings the library along.
  { folder: 'create-latchkey-miniapp', bundles: { 'template/': 'miniapp' } },
];

export function describe(): ApiDescription {
  // What is described is plain JSON of the form that the type names.
  return describeApi(resources as readonly unknown[] as readonly Resource[], {
    serverUrl: 'http://localhost:3000',
  }) as unknown as ApiDescription;
}
