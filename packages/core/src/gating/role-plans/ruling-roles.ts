import { type CommunityRow, describeRulingRole, platformTitles } from '../../communities/communities/index.ts';
import { PlatformFailed, type RoleHost, type WriteOutcome } from '../../ports/index.ts';
import type { WrittenItem } from './settle.ts';

type Refused = Extract<WriteOutcome, { kind: 'forbidden' | 'failed' }>;

/** What may be written of a member's changes, and what is laid aside: for each role, or all of it. */
export type Sorted =
  | { free: readonly WrittenItem[]; aside: readonly { items: readonly WrittenItem[]; outcome: Laid }[] }
  | { refused: Refused };

type Laid = Extract<WriteOutcome, { kind: 'forbidden' }>;

/** Lays grants aside whose role lets its holders rule over others: it may have got that power after its rule was saved. */
export type SortByPower = (items: readonly WrittenItem[]) => Promise<Sorted>;

/** Asks the platform once for all members of a run, and again after it did not answer. */
export function createSortByPower(host: RoleHost, { community_id }: CommunityRow, signal: AbortSignal): SortByPower {
  let reading: Promise<ReadonlyMap<string, string>> | undefined;
  const read = async () => {
    const roles = (await host.readRulingRoles?.(community_id, signal)) ?? [];
    return new Map(roles.map((role) => [role.id, describeRulingRole(role, platformTitles[host.platform])]));
  };
  return async (items) => {
    if (host.readRulingRoles === undefined || items.every(({ action }) => action === 'revoke'))
      return { free: items, aside: [] };
    reading ??= read();
    try {
      return sort(items, await reading);
    } catch (error) {
      reading = undefined;
      if (!(error instanceof PlatformFailed)) throw error;
      return { refused: refusalOf(error) };
    }
  };
}

function sort(items: readonly WrittenItem[], adviceByRole: ReadonlyMap<string, string>): Sorted {
  const isBarred = ({ action, role_id }: WrittenItem) => action === 'grant' && adviceByRole.has(role_id);
  return {
    free: items.filter((item) => !isBarred(item)),
    aside: items.filter(isBarred).map((item) => ({
      items: [item],
      outcome: { kind: 'forbidden', roleId: item.role_id, advice: adviceByRole.get(item.role_id) ?? '' },
    })),
  };
}

function refusalOf({ kind, message, retryAfterSeconds }: PlatformFailed): Refused {
  if (kind !== 'unavailable') return { kind: 'forbidden', advice: message };
  return { kind: 'failed', reason: message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}
