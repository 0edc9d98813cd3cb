import { isTagRole } from '@latchkey/kernel';
import { selectByPlatformId } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';

/** The tags that the rules of a chat give, as role ids. The first ones are given when not all of them fit. */
export async function readTagRoles({ db }: Pick<Context, 'db'>, chatId: string): Promise<readonly string[]> {
  const community = await selectByPlatformId(db.system, 'telegram', chatId);
  if (community === undefined) return [];
  const rules = await selectRules(db.system, community.id);
  return [...new Set(rules.map(({ role_id }) => role_id).filter(isTagRole))];
}
