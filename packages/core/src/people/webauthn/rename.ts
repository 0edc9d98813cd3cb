import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { updateName } from './queries.ts';

export async function renameCredential(
  ctx: Pick<Context, 'tx'>,
  { id, body }: { id: string; body: { name: string } },
): Promise<void> {
  if (!(await ctx.tx((tx) => updateName(tx, id, body.name)))) throw notFound('passkey');
}
