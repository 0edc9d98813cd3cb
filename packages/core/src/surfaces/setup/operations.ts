import { AppError, chatPlatforms, notFound, op, record, T, text, user, type ValueOf } from '@latchkey/kernel';
import { communityAdmin } from '../../communities/access/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { BotInvitations, listBotInvitations } from './chat-platform-list.ts';
import { checkCommunitySetup } from './check-setup.ts';
import { CommunitySetup } from './setup-check.ts';

const ChatRole = record('ChatRole', 'A role of a community on its chat platform.', {
  id: text('The platform’s own id of the role.'),
  name: text('The name of the role.'),
  color: T.Optional(T.Number({ description: 'Its color, as one number of red, green and blue.' })),
  position: T.Optional(T.Number({ description: 'Its position, counted from the bottom.' })),
  canBeGiven: T.Boolean({ description: 'Whether rules can currently give it.' }),
  problem: T.Optional(text('Why they cannot, and what to do about it.')),
  rules: T.Number({ description: 'How many rules give it.' }),
});

const ChatRoles = record('ChatRoles', 'The roles of a community.', {
  items: T.Array(ChatRole, { description: 'The roles, highest first.', maxItems: 1000 }),
  canCreate: T.Boolean({ description: 'Whether roles can be created from here.' }),
});
type ChatRoles = ValueOf<typeof ChatRoles>;

/** Returns the roles that rules could grant, and why they cannot grant the others. */
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
    // A fault of the whole community has no role.
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
    throw new AppError('UNAVAILABLE', `Could not get roles from ${chatPlatforms[platform].title}: ${error.message}`, {
      retryAfterSeconds: error.retryAfterSeconds ?? 30,
      cause: error,
    });
  }
}

export const setupOperations = [
  op(
    'GET /latchkey/bot-invitations',
    {
      id: 'listBotInvitations',
      summary: 'List bot invite links',
      description:
        'Returns, for each chat platform, the link by which an admin adds the bot, with the minimum permissions it needs and what it uses each for.',
      access: user(),
      returns: BotInvitations,
    },
    listBotInvitations,
  ),
  op(
    'GET /latchkey/communities/{communityId}/setup',
    {
      id: 'checkCommunitySetup',
      summary: 'Check the bot’s setup',
      description:
        'Asks the chat platform whether the bot has what it needs: that it is there, each permission with its reason, the order of roles with both positions, and its channels. Returns all faults at once, each with what to do. If the platform does not respond, the state is `unknown`, which says nothing about the setup. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: CommunitySetup,
    },
    checkCommunitySetup,
  ),
  op(
    'GET /latchkey/communities/{communityId}/chat-roles',
    {
      id: 'listChatRoles',
      summary: 'List a community’s chat roles',
      description:
        'Returns the roles of the community on its chat platform, highest first, with whether rules can give each and what keeps them from it. For community admins. Fails with UNAVAILABLE while the platform does not answer.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: ChatRoles,
      errors: ['UNAVAILABLE'],
    },
    listChatRoles,
  ),
] as const;
