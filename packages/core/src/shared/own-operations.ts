import { type Resource, resource } from '@latchkey/kernel';

/** Operations that the published API lacks, below `/latchkey/`. Every module can contribute some. */
export function ownOperations<const Ops extends readonly unknown[]>(operations: Ops): Resource<'latchkey', Ops> {
  return resource(
    'latchkey',
    'What the published API lacks: sessions, new client secrets, settings of communities, change sets and their history.',
    operations,
  );
}
