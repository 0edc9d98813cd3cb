import { PlatformFailed, type Refusal, type RoleFault } from '../../ports/index.ts';
import { lockCommunity } from './plan-queries.ts';
import { dropUnruled, selectRuledRoles, selectWaitingRoles } from './rule-items.ts';
import { all, deleteStop, putStop, type StopRow, selectStopRows } from './stop-queries.ts';
import type { WriteContext, Writer } from './write.ts';

/** What a look at the platform's roles came to: undefined, or why it could not be looked at. */
export type Blindness = { reason: string; retryAfterSeconds?: number } | undefined;

/** What a look at the platform finds, so that its absence from the look ends the stop. */
const visible: ReadonlySet<RoleFault> = new Set([
  'missing',
  'managed',
  'everyone',
  'above-bot',
  'ruling',
  'permission',
  'no-access',
]);

/**
 * Before anything is written: gives up what no rule asks for any more, and looks at the roles on the platform. What cannot
 * be written is stopped before it is tried, and what can be written again is let go on.
 */
export async function takeStock(ctx: WriteContext, writer: Writer): Promise<Blindness> {
  const { community, host, signal } = writer;
  const ruled = await selectRuledRoles(ctx.db.system, community.id);
  const concerned = await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await dropUnruled(tx, community.id, ruled);
    const roleIds = new Set([...ruled, ...(await selectWaitingRoles(tx, community.id))]);
    for (const stop of await selectStopRows(tx, community.id))
      if (stop.role_id !== all && !roleIds.has(stop.role_id)) await deleteStop(tx, stop);
    return [...roleIds];
  });
  if (host.findFaults === undefined || concerned.length === 0) return undefined;
  try {
    await keepFaults(ctx, writer, await host.findFaults(community.community_id, concerned, signal));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { kind, message, retryAfterSeconds } = error;
    if (kind === 'unavailable')
      return { reason: message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    await keepFaults(ctx, writer, [{ scope: 'community', fault: 'no-access', advice: message }]);
  }
  return undefined;
}

async function keepFaults(ctx: WriteContext, { community }: Writer, faults: readonly Refusal[]): Promise<void> {
  const isThere = (stop: StopRow) => faults.some(({ roleId = all }) => roleId === stop.role_id);
  const stops = await selectStopRows(ctx.db.system, community.id);
  const healed = stops.filter((stop) => visible.has(stop.fault) && !isThere(stop));
  if (healed.length + faults.length === 0) return;
  await ctx.db.transaction('system', async (tx) => {
    for (const stop of healed) await deleteStop(tx, stop);
    for (const { roleId, fault, advice } of faults)
      await putStop(
        tx,
        community.id,
        { ...(roleId !== undefined && { roleId }), ...(fault && { fault }), advice },
        ctx.clock(),
      );
  });
}
