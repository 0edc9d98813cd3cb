import { isOpenIdScope } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { readRoles } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { describeScope } from './authorization-request.ts';
import { parseLivingScope } from './living-scope.ts';

export interface SortedScopes {
  /** What the user can grant. */
  open: string[];
  /** What the user cannot grant: a community they are not in, or more than their own login allows. */
  closed: string[];
}

/**
 * Sorts the requested scopes by whether this user can grant them. `limit` is what their login allows; absent for
 * everything.
 */
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

/** Describes scopes for a consent page. */
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
