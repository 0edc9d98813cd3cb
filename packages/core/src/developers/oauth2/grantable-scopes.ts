import { isOpenIdScope } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { readRoles } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { parseLivingScope } from './living-scope.ts';
import { describeScope } from './requested-scopes.ts';

export interface SortedScopes {
  /** What the person can allow. */
  open: string[];
  /** What is not theirs to allow: a community they are not in, or more than their own login may do. */
  closed: string[];
}

/** Sorts what was asked for by whether this person can allow it. `limit` is what their login may do; absent for all. */
export async function sortScopes(
  ctx: Pick<Context, 'db'>,
  userId: string,
  scopes: Iterable<string>,
  limit: readonly string[] | undefined,
): Promise<SortedScopes> {
  const sorted: SortedScopes = { open: [], closed: [] };
  for (const scope of scopes) {
    const living = parseLivingScope(scope);
    const isOpen =
      living === undefined
        ? isOpenIdScope(scope) || limit === undefined || limit.includes(scope)
        : (await readRoles(ctx, living.communityId, userId)) !== undefined;
    sorted[isOpen ? 'open' : 'closed'].push(scope);
  }
  return sorted;
}

/** What scopes allow, in the words of a page that asks for them. */
export async function describeScopes(
  ctx: Pick<Context, 'db' | 'locale'>,
  scopes: readonly string[],
): Promise<{ scope: string; description: string }[]> {
  const described: { scope: string; description: string }[] = [];
  for (const scope of scopes) {
    const living = parseLivingScope(scope);
    const community = living && (await selectCommunity(ctx.db.system, living.communityId));
    described.push({ scope, description: describeScope(scope, messagesIn(ctx.locale), community?.name) });
  }
  return described;
}
