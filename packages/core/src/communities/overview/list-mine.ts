import { type Page, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { countWaiting } from '../../gating/role-plans/index.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { selectSetupProblems } from '../admin-notices/index.ts';
import { countRules, listNamed } from '../communities/index.ts';
import { countPresent } from '../members/index.ts';
import { pictureAddresses, withPicture } from '../pictures/index.ts';
import type { MyCommunity } from './my-community.ts';

/** The communities that the caller manages, by name, each with what waits in it. */
export async function listMyCommunities(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  { search, ...request }: PageRequest & { search?: string },
): Promise<Page<MyCommunity>> {
  const db = ctx.db.system;
  const adminId = principalId(ctx.actor);
  const words = search?.trim() ?? '';
  const page = await paginate(ctx, request, {
    list: `my-communities:${JSON.stringify(words)}`,
    read: (after, limit) => listNamed(db, { adminId, words, after, limit }),
    cursorOf: ({ name, id }) => [name.toLowerCase(), id],
  });
  const ids = page.items.map(({ id }) => id);
  const [members, rules, waiting, problems, pictures] = await Promise.all([
    countPresent(db, ids),
    countRules(db, ids),
    countWaiting(db, ids),
    selectSetupProblems(db, ids),
    pictureAddresses(db, ids),
  ]);
  return {
    ...page,
    items: page.items.map(({ id, name, platform, status }) => ({
      id,
      name,
      ...withPicture(pictures, id),
      platform,
      status,
      members: members.get(id) ?? 0,
      rules: rules.get(id) ?? 0,
      heldPlans: waiting.get(id)?.heldPlans ?? 0,
      stoppedRoles: waiting.get(id)?.stoppedRoles ?? 0,
      setupProblems: problems.get(id) ?? [],
    })),
  };
}
