/** A scope that asks for what somebody has in one community, such as `roles:DIS#COMM#123`. */
export interface LivingScope {
  claim: 'roles' | 'holdings';
  communityId: string;
}

export function parseLivingScope(scope: string): LivingScope | undefined {
  const [, claim, communityId] = /^(roles|holdings):((?:DIS|TEL|RED)#COMM#[-A-Za-z0-9_]{1,64})$/.exec(scope) ?? [];
  if (communityId === undefined) return undefined;
  return { claim: claim === 'roles' ? 'roles' : 'holdings', communityId };
}
