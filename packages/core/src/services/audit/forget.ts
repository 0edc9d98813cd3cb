import type { Erasure } from '../../shared/module.ts';
import { forgetInAudit } from './queries.ts';

/** Keeps what was done and when, but removes the actor, the subject and the address. */
export const auditErasure: Erasure = {
  columns: ['who', 'subject', 'target', 'reason', 'from_address', 'details'].map((column) => `audit_entries.${column}`),
  stage: 'at-once',
  forget: (_ctx, tx, { userId, wallets, pseudonym }) =>
    forgetInAudit(tx, { userId, wallets: wallets.map(({ address }) => address), pseudonym }),
};
