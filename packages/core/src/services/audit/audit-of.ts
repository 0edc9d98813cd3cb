import type { AuditAction } from '@latchkey/kernel';
import { credentialKinds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type AuditChannel, type AuditEntry, nameInAudit } from './entry.ts';

type AuditContext = Pick<Context, 'actor' | 'clock' | 'origin'>;

/** Creates an audit entry for an action of this context's caller, with the origin of the request. */
export function auditOf(
  { actor, clock, origin }: AuditContext,
  action: AuditAction,
  more: Pick<AuditEntry, 'subject' | 'target' | 'communityId' | 'details' | 'reason'> = {},
): AuditEntry {
  return {
    at: clock(),
    who: nameInAudit(actor),
    through: doorOf(actor),
    action,
    requestId: origin?.requestId,
    fromAddress: origin?.address,
    ...more,
    details: { ...(actor.client !== undefined && { clientId: actor.client.id }), ...more.details },
  };
}

function doorOf(actor: AuditContext['actor']): AuditChannel {
  if (actor.kind === 'system') return 'job';
  if (actor.kind !== 'user') return 'api';
  const { through } = credentialKinds[actor.credential];
  if (through === 'chat platform') return 'chat';
  return through === 'own pages' ? 'page' : 'api';
}
