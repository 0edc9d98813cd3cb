import { ask } from '../../shared/api/index.ts';

const pauseMs = 3_000;
const mostReads = 40;

/**
 * Waits up to two minutes for the change set that the newest change of a rule leads to. Undefined if there is none: a rule
 * may change no role. Failures end it quietly, since the change set is under Role changes in any case.
 */
export async function findCausedChangeSet(communityId: string, ruleId: string): Promise<string | undefined> {
  try {
    const history = await ask('GET /latchkey/communities/{communityId}/rules/{ruleId}/history', {
      communityId,
      ruleId,
      limit: 1,
    });
    const change = history.items[0]?.id;
    if (change === undefined) return undefined;
    for (let reads = 0; reads < mostReads; reads += 1) {
      const { items } = await ask('GET /latchkey/communities/{communityId}/change-sets', { communityId, limit: 20 });
      const caused = items.find(({ ruleChangeIds, cause }) => cause !== 'undo' && ruleChangeIds.includes(change));
      if (caused !== undefined) return caused.id;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } catch {
    return undefined;
  }
  return undefined;
}
