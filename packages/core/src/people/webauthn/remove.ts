import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { endSessionsBy } from '../../developers/credentials/index.ts';
import { deleteCredentialRow } from './queries.ts';
import { ownerOfCredential } from './reads.ts';

export async function deleteCredential(
  ctx: Pick<Context, 'actor' | 'db' | 'tx'>,
  { id }: { id: string },
): Promise<void> {
  const userId = await ownerOfCredential(ctx, id);
  if (userId === undefined || !(await ctx.tx((tx) => deleteCredentialRow(tx, id)))) throw notFound('passkey');
  await endSessionsBy(ctx, ctx.db.system, userId, 'passkey');
}
