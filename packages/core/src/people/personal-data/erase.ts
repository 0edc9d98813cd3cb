import { principalId } from '@latchkey/kernel';
import { type Context, contextFor } from '../../context.ts';
import { auditOf, recordAudit } from '../../machinery/audit/index.ts';
import { requirePresence } from '../../require-presence.ts';
import type { AccountEraser } from '../account/index.ts';
import type { ErasedAccount } from './personal-data.ts';

/** Erases the caller's account. Whoever has stolen a session must not be able to, so the person has to be there. */
export async function eraseMe(ctx: Context, eraseAccount: AccountEraser['eraseAccount']): Promise<ErasedAccount> {
  requirePresence(ctx);
  const userId = principalId(ctx.actor);
  // Put on record first: the erasure itself takes the name out of the record.
  await ctx.db.transaction('system', (tx) => recordAudit(tx, auditOf(ctx, 'account.erase', { subject: userId })));
  const outcome = await eraseAccount(contextFor(ctx, { kind: 'system', job: 'account.erase' }), userId);
  return outcome.kind === 'erased' ? { state: 'erased' } : { state: 'waiting', reason: outcome.reason };
}
