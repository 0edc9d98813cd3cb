import { AppError, chatPlatforms, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type AdminRow, selectAdmins } from './admin-queries.ts';
import { type ConfirmContext, confirmAdmins } from './confirm-admins.ts';
import { operatorId } from './keys.ts';
import { type CommunityRow, selectCommunity } from './queries.ts';

/** For so long a confirmation stands while the platform cannot be asked. */
const standsSeconds = 24 * 60 * 60;

/**
 * Makes sure, by asking the platform, that an admin may still decide for the community: because the platform lets them
 * rule it, or because whoever named them does. Who was let go there is let go here by the same question.
 */
export async function requireRuler(ctx: ConfirmContext & Pick<Context, 'actor'>, id: string): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== 'user') return;
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) throw notFound('community');
  const before = lineOf(await selectAdmins(ctx.db.system, community.id), actor.userId);
  if (before.length === 0) throw notFound('community');
  await confirmAdmins(ctx, community.id, { only: before.map(({ user_id }) => user_id) });
  const root = lineOf(await selectAdmins(ctx.db.system, community.id), actor.userId).at(-1);
  if (root === undefined) throw dismissed(community);
  if (root.confirmed_at === null && root.named_by === operatorId) return;
  const standsUntilMs = (root.confirmed_at?.getTime() ?? 0) + standsSeconds * 1000;
  if (standsUntilMs < ctx.clock().getTime()) throw silent(community);
}

/** An admin, who named that one, and so on, up to somebody whom the platform confirmed or the operator named. */
function lineOf(admins: readonly AdminRow[], userId: string): AdminRow[] {
  const line: AdminRow[] = [];
  for (let next: string | null = userId; next !== null; ) {
    const admin = admins.find(({ user_id }) => user_id === next);
    if (admin === undefined || line.includes(admin)) break;
    line.push(admin);
    next = admin.confirmed_at === null ? admin.named_by : null;
  }
  return line;
}

function dismissed({ platform }: CommunityRow): AppError {
  return new AppError(
    'ROLE_NOT_ALLOWED',
    `You no longer manage this community on ${chatPlatforms[platform].title}, so you are no longer its admin here. You need ${chatPlatforms[platform].rightsToManage} there.`,
  );
}

function silent({ platform }: CommunityRow): AppError {
  return new AppError(
    'UNAVAILABLE',
    `${chatPlatforms[platform].title} cannot be asked whether you still manage this community, and it has not confirmed it within 24 hours. Make sure the bot is still connected to the community, and try again later.`,
    { retryAfterSeconds: 60 },
  );
}
