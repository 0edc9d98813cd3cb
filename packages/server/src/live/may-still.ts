import { AppError } from '@latchkey/kernel';
import { authenticate } from '../http/steps/authenticate.ts';
import { requireAdmission } from '../http/steps/require-admission.ts';
import { requireScopes } from '../http/steps/require-scopes.ts';
import type { Server, Visit } from '../http/visit.ts';

/**
 * Whether a caller who was let in would be let in again, as the same one. A look that fails is no answer: who was let in
 * stays until somebody can tell.
 */
export async function mayStill(visit: Visit, server: Server): Promise<boolean> {
  const again: Visit = { ...visit, actor: { kind: 'anonymous' }, client: undefined, isUse: false };
  try {
    await authenticate(again, server);
    requireScopes(again);
    await requireAdmission(again, server);
    return true;
  } catch (error) {
    const isRefusal = error instanceof AppError && error.status < 500 && error.code !== 'RATE_LIMITED';
    if (!isRefusal) server.services.log.for('live').debug('A look whether somebody may still listen failed.');
    return !isRefusal;
  }
}
