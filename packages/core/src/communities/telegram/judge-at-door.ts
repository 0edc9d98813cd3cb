import type { Context } from '../../context.ts';
import { judgeVisitor } from '../../gating/role-plans/index.ts';
import { type CommunityRow, userKey } from '../communities/index.ts';
import { memberRole } from './member-role.ts';

/** `unruled`: no rule says who may be in the chat, so its admins decide, as they did before the bot came. */
export type DoorVerdict = 'true' | 'false' | 'unknown' | 'unruled';

/** What the rules say to somebody who wants to come in. */
export async function judgeAtDoor(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  signal?: AbortSignal,
): Promise<DoorVerdict> {
  const verdicts = await judgeVisitor(ctx, community, userKey('telegram', userId), signal);
  return verdicts.find(({ roleId }) => roleId === memberRole)?.truth ?? 'unruled';
}
