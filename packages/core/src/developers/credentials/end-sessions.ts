import type { Tx } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { aeSkewSeconds, maxAeTtlSeconds } from './ae-token.ts';
import { deleteConsoleSessionsOf } from './console-session-queries.ts';
import { endMarks } from './end-marks.ts';
import { insertRevoked } from './queries.ts';
import { deleteSessionsOf } from './session-queries.ts';

/** Ends every AE token of a person that was made until now, and their sessions of the console. */
export async function endSessionsOf(ctx: Pick<Context, 'clock' | 'keyring'>, tx: Tx, userId: string): Promise<void> {
  await deleteSessionsOf(tx, userId);
  await deleteConsoleSessionsOf(tx, userId);
  const [mark] = endMarks(ctx.keyring, userId);
  const until = new Date(ctx.clock().getTime() + (maxAeTtlSeconds + aeSkewSeconds) * 1000);
  if (mark !== undefined) await insertRevoked(tx, mark, until);
}
