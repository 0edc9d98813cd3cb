import { AppError, chatPlatforms, notFound, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { selectCommunity, selectRules } from '../communities/index.ts';

const ChatRole = record('ChatRole', 'A role of a community on its chat platform.', {
  id: text('The platform’s own id of the role.'),
  name: text('What people call the role.'),
  color: T.Optional(T.Number({ description: 'Its color, as one number of red, green and blue.' })),
  position: T.Optional(T.Number({ description: 'Where it stands, counted from the bottom.' })),
  canBeGiven: T.Boolean({ description: 'Whether rules can give it as things are now.' }),
  problem: T.Optional(text('Why they cannot, and what to do about it.')),
  rules: T.Number({ description: 'How many rules give it.' }),
});

export const ChatRoles = record('ChatRoles', 'The roles of a community.', {
  items: T.Array(ChatRole, { description: 'The roles, highest first.', maxItems: 1000 }),
  canCreate: T.Boolean({ description: 'Whether roles can be created from here.' }),
});
export type ChatRoles = ValueOf<typeof ChatRoles>;

/** The roles that rules could give, and what keeps them from giving the others. */
export async function listChatRoles(
  ctx: Pick<Context, 'db' | 'discord' | 'hosts'>,
  { communityId }: { communityId: string },
): Promise<ChatRoles> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  const { platform, community_id } = community;
  const host = ctx.hosts[platform];
  if (host === undefined) throw notConfigured(platform);
  const rules = Map.groupBy(await selectRules(ctx.db.system, community.id), ({ role_id }) => role_id);
  try {
    const roles = await host.readRoles(community_id);
    const ids = roles.map(({ id }) => id);
    const faults = new Map(((await host.findFaults?.(community_id, ids)) ?? []).map((fault) => [fault.roleId, fault]));
    // What holds for the whole community names no role.
    const common = faults.get(undefined);
    return {
      items: roles
        .filter(({ id }) => id !== community_id)
        .toSorted((a, b) => (b.position ?? 0) - (a.position ?? 0))
        .map(({ id, name, color, position }) => {
          const problem = (faults.get(id) ?? common)?.advice;
          return {
            id,
            name,
            ...(color !== undefined && { color }),
            ...(position !== undefined && { position }),
            canBeGiven: problem === undefined,
            ...(problem !== undefined && { problem }),
            rules: rules.get(id)?.length ?? 0,
          };
        }),
      canCreate: platform === 'discord' && ctx.discord !== undefined,
    };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    throw new AppError(
      'UNAVAILABLE',
      `${chatPlatforms[platform].title} cannot be asked for its roles: ${error.message}`,
      {
        retryAfterSeconds: error.retryAfterSeconds ?? 30,
        cause: error,
      },
    );
  }
}
