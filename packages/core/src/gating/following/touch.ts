import type { Sql } from '@latchkey/db';
import { selectCommunitiesOf } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { usersOfWallets } from '../../people/wallets/index.ts';
import { walletNamespaceOf } from '../rules/index.ts';
import { type TouchCause, touch } from '../touches/index.ts';
import './tables.ts';

/** Looks at a user in every community it is in, because something about its account changed. */
export async function touchUser(tx: Sql, userId: string, cause: TouchCause): Promise<void> {
  const memberships = await selectCommunitiesOf(tx, [userId]);
  for (const communityId of memberships.map((row) => row.community_id).toSorted())
    await touch(tx, { communityId, members: [userId], cause });
}

export interface AccountChange {
  /** The contract, as rules spell it. */
  reference: string;
  account: string;
}

/**
 * Looks at the members behind accounts whose holdings changed, in the communities whose rules name the contract, and
 * nowhere else. Answers how many members that are.
 */
export async function touchAccounts(
  ctx: Pick<Context, 'wallets'>,
  tx: Sql,
  chain: string,
  changes: readonly AccountChange[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const namespace = walletNamespaceOf(chain);
  const chainReference = chain.slice(chain.indexOf(':') + 1);
  const spell = (account: string) => ctx.wallets[namespace]?.normalizeAddress(account, chainReference) ?? account;
  const referencesOf = Map.groupBy(changes, (change) => spell(change.account));
  const owners = await usersOfWallets(tx, namespace, [...referencesOf.keys()]);
  const naming = await communitiesNaming(tx, chain, [...new Set(changes.map((change) => change.reference))]);
  const memberships = Map.groupBy(
    await selectCommunitiesOf(tx, [...new Set(owners.map((owner) => owner.user_id))]),
    (row) => row.user_id,
  );
  const touched = new Map<string, Set<string>>();
  for (const { user_id, address } of owners) {
    const concerned = new Set(referencesOf.get(address)?.flatMap(({ reference }) => naming.get(reference) ?? []));
    for (const { community_id } of memberships.get(user_id) ?? []) {
      if (!concerned.has(community_id)) continue;
      const members = touched.get(community_id) ?? new Set();
      touched.set(community_id, members.add(user_id));
    }
  }
  for (const communityId of [...touched.keys()].toSorted())
    await touch(tx, { communityId, members: [...(touched.get(communityId) ?? [])], cause: 'chain' });
  return [...touched.values()].reduce((sum, members) => sum + members.size, 0);
}

async function communitiesNaming(
  db: Sql,
  chain: string,
  references: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('rule_assets')
    .select(['community_id', 'reference'])
    .where('chain', '=', chain)
    .where('reference', '=', (eb) => eb.fn.any(eb.val([...references])))
    .execute();
  const byReference = Map.groupBy(rows, (row) => row.reference);
  return new Map([...byReference].map(([reference, named]) => [reference, named.map((row) => row.community_id)]));
}

/** Looks at everybody in the communities whose rules name one of these contracts. */
export async function touchNaming(tx: Sql, chain: string, references: readonly string[]): Promise<void> {
  if (references.length === 0) return;
  const communityIds = new Set([...(await communitiesNaming(tx, chain, references)).values()].flat());
  for (const communityId of [...communityIds].toSorted())
    await touch(tx, { communityId, members: '*', cause: 'chain' });
}

/** Looks at everybody whose rules name anything on a chain, because what happened on it was not heard. */
export async function touchChain(tx: Sql, chain: string): Promise<void> {
  const rows = await tx
    .selectFrom('rule_assets')
    .select('community_id')
    .where('chain', '=', chain)
    .distinct()
    .orderBy('community_id')
    .execute();
  for (const { community_id } of rows) await touch(tx, { communityId: community_id, members: '*', cause: 'chain' });
}
