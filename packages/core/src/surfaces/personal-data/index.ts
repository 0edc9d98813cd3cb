import { op, principalId, thePerson } from '@latchkey/kernel';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { type AccountEraser, createAccountEraser } from '../account/index.ts';
import { ErasedAccount, exportData, PersonalData } from './export-data.ts';

/** Lets people export and erase their data. Every module contributes, so the list of erasures is resolved lazily. */
export function personalDataFeature(erasures: () => readonly Erasure[]) {
  const operations = [
    op(
      'GET /latchkey/account/export',
      {
        id: 'exportMyData',
        summary: 'Export your data',
        description:
          'Returns everything that is kept about the signed-in person, as one JSON document: the same records that erasing the account would remove or rename. Secrets such as token hashes and keys are left out.',
        audit: 'account.export',
        access: thePerson,
        returns: PersonalData,
      },
      (ctx: Context) => exportData(ctx, erasures()),
    ),
    op(
      'DELETE /latchkey/account',
      {
        id: 'eraseMyAccount',
        summary: 'Erase your account',
        description:
          'Erases the signed-in person for good: wallets, passkeys, sessions, applications, organizations with their wallets, and the hosted wallet with its key. Roles that depend on them are removed; the rest is deleted once they are, or after a day. Communities stay and are transferred to another admin. Needs a sign-in by wallet, passkey or chat account within the last 10 minutes. It cannot be undone.',
        access: thePerson,
        returns: ErasedAccount,
        errors: ['PRESENCE_REQUIRED'],
      },
      (ctx: Context) => eraseMe(ctx, createAccountEraser(erasures()).eraseAccount),
    ),
  ] as const;
  return defineModule('personal-data', { resources: [ownOperations(operations)] });
}

/** Erases the caller's account. Requires a recent sign-in, so a stolen session is not enough. */
export async function eraseMe(ctx: Context, eraseAccount: AccountEraser['eraseAccount']): Promise<ErasedAccount> {
  requirePresence(ctx);
  const userId = principalId(ctx.actor);
  // Recorded first: the erasure itself removes the name from the audit log.
  await ctx.db.transaction('system', (tx) => recordAudit(tx, auditOf(ctx, 'account.erase', { subject: userId })));
  const outcome = await eraseAccount(contextFor(ctx, { kind: 'system', job: 'account.erase' }), userId);
  return outcome.kind === 'erased' ? { state: 'erased' } : { state: 'waiting', reason: outcome.reason };
}
