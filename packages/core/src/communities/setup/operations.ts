import { op, text, user } from '@latchkey/kernel';
import { communityAdmin } from '../communities/index.ts';
import { BotInvitations, listBotInvitations } from './chat-platform-list.ts';
import { ChatRoles, listChatRoles } from './chat-roles.ts';
import { checkCommunitySetup } from './check-setup.ts';
import { CommunitySetup } from './setup-check.ts';

const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});

export const setupOperations = [
  op(
    'GET /latchkey/bot-invitations',
    {
      id: 'listBotInvitations',
      summary: 'List how to add the bot',
      description:
        'Returns, for each chat platform, the link by which an admin adds the bot, with the least permissions it needs and what it uses each of them for.',
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
        'Asks the chat platform whether the bot has what it needs: that it is there, each permission with its reason, the order of roles with both positions, and its channels. Returns all faults at once, each with what to do. If the platform cannot be asked, the state is `unknown`, which says nothing about the setup. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId },
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
      params: { communityId },
      returns: ChatRoles,
      errors: ['UNAVAILABLE'],
    },
    listChatRoles,
  ),
] as const;
