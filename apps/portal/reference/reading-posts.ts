/** POSTs that change nothing: guides run them, and the console sends them without asking. */
const readingPosts: ReadonlySet<string> = new Set([
  'POST /access-control/check-roles',
  'POST /analytics/{communityId}/role-distribution',
  'POST /analytics/{communityId}/roles-added',
  'POST /latchkey/communities/{communityId}/rule-drafts/describe',
  'POST /latchkey/communities/{communityId}/rule-drafts/preview',
  'POST /latchkey/communities/{communityId}/rule-drafts/try',
  'POST /latchkey/communities/{communityId}/rule-set/plan',
  'POST /latchkey/handoffs/state',
  'POST /latchkey/operator/applications/{id}/examination',
  'POST /latchkey/playgrounds/state',
  'POST /near-nft/market-contracts/get-sale',
  'POST /oauth2/introspect',
  'POST /role-manager/check-community-roles',
  'POST /role-manager/check-user-roles',
]);

/** Whether an operation changes nothing, by its method and path. */
export function isReading(method: string, path: string): boolean {
  return method === 'GET' || readingPosts.has(`${method} ${path}`);
}

/** For the test that compares them with the operations. */
export const readingPostRoutes: readonly string[] = [...readingPosts];
