import { keepOwners } from '../../identity/client-apps/index.ts';
import type { Context } from '../../shared/context.ts';
import type { AppCall } from './call.ts';
import { addToDays, type DayCount, insertCalls, type KeyUse, noteKeyUses } from './queries.ts';

/** The calls of applications that a process received since its last write. */
export interface CallBatch {
  /** The calls that are stored individually. */
  lines: readonly AppCall[];
  counts: readonly DayCount[];
  keyUses: readonly KeyUse[];
}

/** Writes a batch in one transaction. Calls of applications that were deleted meanwhile are left out. */
export async function writeCalls({ db }: Pick<Context, 'db'>, batch: CallBatch): Promise<void> {
  const ids = Object.values(batch).flatMap((parts: readonly { clientId: string }[]) =>
    parts.map((one) => one.clientId),
  );
  await db.transaction('system', async (tx) => {
    const owners = await keepOwners(tx, [...new Set(ids)]);
    const owned = <Part extends { clientId: string }>(parts: readonly Part[]) =>
      parts.flatMap((part) => {
        const ownerId = owners.get(part.clientId);
        return ownerId === undefined ? [] : [{ ...part, ownerId }];
      });
    await insertCalls(tx, owned(batch.lines));
    await addToDays(tx, owned(batch.counts));
    await noteKeyUses(tx, owned(batch.keyUses));
  });
}
