import { operationPath } from './addresses.ts';
import { type ApiDocument, listOperations, resourceOf } from './openapi.ts';
import { isOperation, type OwnList, ownToken } from './own-lists.ts';

/** An operation that creates what another one needs. */
export interface SentFirst {
  /** The method and the path. */
  route: string;
  address: string;
}

const changeSet = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';

/** What these need is used up by others, so a reader creates it anew. */
const sentBefore: Readonly<Record<string, string>> = {
  [`POST ${changeSet}/approve`]: 'POST /latchkey/communities/{communityId}/change-sets',
  [`POST ${changeSet}/reject`]: 'POST /latchkey/communities/{communityId}/change-sets',
  'PUT /latchkey/miniapps/{miniAppId}/profile': 'POST /miniapps',
  'PUT /latchkey/plans/{planId}/subscribers/{subscriberId}': 'PUT /latchkey/plans/{planId}',
  'DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}':
    'PUT /latchkey/plans/{planId}/subscribers/{subscriberId}',
  'DELETE /latchkey/communities/{communityId}/admins/{userId}':
    'PUT /latchkey/communities/{communityId}/admins/{userId}',
};

/** Returns the operation to send before another, if its sample needs what that one creates. */
export function sentFirst(document: ApiDocument, route: string, lists: readonly OwnList[]): SentFirst | undefined {
  const wanted = sentBefore[route] ?? lists.find((one) => isOperation(one.list) && !isListed(one, lists))?.list;
  if (wanted === undefined) return undefined;
  const found = listOperations(document).find(({ method, path }) => `${method} ${path}` === wanted);
  if (found === undefined) return undefined;
  return { route: wanted, address: operationPath(resourceOf(found.described), found.described.operationId) };
}

/** Whether the same id is also in a list on the reader's server. */
function isListed(one: OwnList, lists: readonly OwnList[]): boolean {
  return lists.some(
    ({ in: place, name, list }) => place === one.in && name === one.name && !isOperation(list) && list !== ownToken,
  );
}

/** For the test that compares them with the description. */
export const routesSentBefore: readonly string[] = Object.entries(sentBefore).flat();
