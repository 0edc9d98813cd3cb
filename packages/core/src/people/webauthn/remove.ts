import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { deleteCredentialRow } from './queries.ts';

export async function deleteCredential(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<void> {
  if (!(await ctx.tx((tx) => deleteCredentialRow(tx, id)))) throw notFound('passkey');
}
