import { listOf, NoContent, op, T } from '@latchkey/kernel';
import { communityRuler, scopelessReader } from '../communities/index.ts';
import {
  createGuestPass,
  defaultPeriodSeconds,
  GuestPass,
  GuestPassRequest,
  listGuestPasses,
  refuseBadPass,
  removeGuestPass,
} from '../guest-passes/index.ts';
import { guildParam } from './params.ts';

const ruledGuild = communityRuler('guildId');

export const guestPassOperations = [
  op(
    'POST /discord/{guildId}/guest-passes',
    {
      id: 'createGuestPass',
      sdk: 'GuestPassController.createGuestPass',
      summary: 'Create a guest pass',
      description: `Creates a pass that gives its roles to a guest for a period in seconds, which defaults to ${defaultPeriodSeconds / 86_400} days. Nobody holds it until an admin gives it to a member. Roles that the bot cannot give, or whose permissions let people rule over others, are refused. Rules of the type GUESTPASS can ask for it.`,
      facts: {
        senderDecides: 'name description roleSet status period',
        idsOfNobody: {
          id: 'Not read, and of roles: given in the community of the pass only.',
          pk: 'Not read: the path names the community.',
          sk: 'Not read.',
        },
      },
      access: ruledGuild,
      params: { guildId: guildParam },
      body: GuestPassRequest,
      returns: GuestPass,
      before: refuseBadPass,
      repeatable: true,
      errors: ['ENTITY_NOT_FOUND'],
    },
    createGuestPass,
  ),
  op(
    'GET /discord/{guildId}/guest-passes',
    {
      id: 'getGuestPasses',
      sdk: 'GuestPassController.getGuestPasses',
      summary: 'List guest passes',
      description:
        'Returns the guest passes of the server, oldest first. For its admins, and for client applications that they let in.',
      access: scopelessReader('guildId', 'discord:guild'),
      params: { guildId: guildParam },
      returns: listOf(GuestPass),
      errors: ['ENTITY_NOT_FOUND'],
    },
    listGuestPasses,
  ),
  op(
    'DELETE /discord/{guildId}/guest-passes/{passId}',
    {
      id: 'deleteGuestPass',
      sdk: 'GuestPassController.deleteGuestPass',
      summary: 'Delete a guest pass',
      description: 'Deletes a pass and takes the roles that it gave back from everybody who holds it.',
      access: ruledGuild,
      params: {
        guildId: guildParam,
        passId: T.String({ description: 'The id of the pass.', minLength: 1, maxLength: 64 }),
      },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    removeGuestPass,
  ),
] as const;
