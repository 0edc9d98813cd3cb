import type { Sql, Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type ManagedRulesRow, putManagedRules, selectManagedRules } from './queries.ts';

/**
 * Refuses a change to what a file describes (rules, guest passes, re-check period, approval policy, assertions) while the community
 * is locked to its file. Every way to save calls it in its transaction, except for applying a file.
 */
export async function refuseLocked(db: Sql, communityId: string): Promise<void> {
  const managed = await selectManagedRules(db, communityId);
  if (isLocked(managed)) throw locked(managed, 'this change');
}

/**
 * The same for applying a file: an application’s key passes, if the lock is not to another application, and so does the operator’s
 * command line. The first key that applies a file to a locked community is the one from then on.
 */
export async function refuseOtherKey({ actor }: Pick<Context, 'actor'>, tx: Tx, communityId: string): Promise<void> {
  const managed = await selectManagedRules(tx, communityId);
  if (!isLocked(managed) || actor.kind === 'admin' || actor.kind === 'system') return;
  if (actor.kind !== 'client') throw locked(managed, 'a file applied with a sign-in instead of an API key');
  if (managed.locked_to === null) await putManagedRules(tx, communityId, { locked_to: actor.client.id });
  else if (managed.locked_to !== actor.client.id)
    throw locked(managed, 'a file applied with the key of another application');
}

export async function isLockedToFile(db: Sql, communityId: string): Promise<boolean> {
  return isLocked(await selectManagedRules(db, communityId));
}

function isLocked(managed: ManagedRulesRow | undefined): managed is ManagedRulesRow {
  return managed?.locked_at != null;
}

function locked(managed: ManagedRulesRow, what: string): AppError {
  return new AppError(
    'STATE_CONFLICT',
    `This community is locked to its rules file${fileInWords(managed)}, so ${what} was refused. Edit the file and apply it. Or unlock the community in the console under Rules > Rules file: its owner and the admin who locked it can.`,
  );
}

/** Where the file is, as the end of a phrase; empty if it is not known. */
function fileInWords({ file, repository }: ManagedRulesRow): string {
  if (file === null) return repository === null ? '' : ` in ${repository}`;
  return repository === null ? ` ${file}` : ` ${file} in ${repository}`;
}
