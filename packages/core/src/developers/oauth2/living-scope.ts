import { parseCommunityKey } from '../../shared/qualified-ids.ts';

/** A scope that requests what a user has in one community, such as `roles:DIS#COMM#123`. */
export interface LivingScope {
  claim: 'roles' | 'holdings';
  communityId: string;
}

export function parseLivingScope(scope: string): LivingScope | undefined {
  const [, claim, communityId = ''] = /^(roles|holdings):(.+)$/.exec(scope) ?? [];
  if (parseCommunityKey(communityId) === undefined) return undefined;
  return { claim: claim === 'roles' ? 'roles' : 'holdings', communityId };
}
