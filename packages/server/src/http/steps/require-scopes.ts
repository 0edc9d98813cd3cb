import { AppError, refuse } from '@latchkey/kernel';
import type { Visit } from '../visit.ts';

/** Checks role and scopes, before any object is read. */
export function requireScopes(visit: Visit): void {
  const refusal = refuse(visit.operation.contract.access, visit.actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
}
