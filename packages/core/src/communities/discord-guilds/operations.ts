import { type Access, listOf, NoContent, notFound, OpenObject, op, resource, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { confirmedCommunityAdmin, scopelessReader } from '../access/index.ts';
import {
  createGuestPass,
  defaultPeriodSeconds,
  GuestPass,
  GuestPassRequest,
  listGuestPasses,
  refuseBadPass,
  removeGuestPass,
} from '../guest-passes/index.ts';
import { botOperations, guildOperations, messageOperation } from './guild-operations.ts';
import { interactionTtlSeconds, openInteraction } from './interaction-state.ts';
import { channelOperation, memberOperations } from './member-operations.ts';
import { refuseOwnButtons } from './own-buttons.ts';
import { guildParam } from './params.ts';
import { askDiscord } from './reads.ts';

/** Callers that know the interaction's id, which this server generated and gave to one program. */
const knowsInteraction: Access = { roles: [], scopes: [] };

const interactionId = T.String({
  description: `The id of the interaction, from its callbackUrl. It expires after ${interactionTtlSeconds / 60} minutes.`,
  minLength: 1,
  maxLength: 64,
});
const messageId = T.String({
  description: 'The id of the message, or @original for the first response.',
  pattern: '^(@original|[0-9]{15,20})$',
  maxLength: 20,
});
const errors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;

const webhookOperations = [
  op(
    'POST /discord/webhooks/{interactionId}',
    {
      id: 'followupInteractionMessage',
      sdk: 'DiscordInteractionController.followupInteractionMessage',
      summary: 'Follow up on an interaction',
      description:
        'Sends another message to the person who started the interaction. No credential is needed: the interaction id authorizes the request. Unknown and expired ids return the same error.',
      access: knowsInteraction,
      params: { interactionId },
      body: OpenObject,
      returns: OpenObject,
      errors,
    },
    followUp,
  ),
  op(
    'PATCH /discord/webhooks/{interactionId}/messages/{messageId}',
    {
      id: 'editInteractionMessage',
      sdk: 'DiscordInteractionController.editInteractionMessage',
      summary: 'Edit an interaction message',
      description: 'Edits a message that was sent for the interaction and returns it.',
      access: knowsInteraction,
      params: { interactionId, messageId },
      body: OpenObject,
      returns: OpenObject,
      errors,
    },
    editMessage,
  ),
  op(
    'GET /discord/webhooks/{interactionId}/messages/{messageId}',
    {
      id: 'getInteractionMessage',
      sdk: 'DiscordInteractionController.getInteractionMessage',
      summary: 'Get an interaction message',
      description: 'Returns a message that was sent for the interaction.',
      access: knowsInteraction,
      params: { interactionId, messageId },
      returns: OpenObject,
      errors,
    },
    getMessage,
  ),
  op(
    'DELETE /discord/webhooks/{interactionId}/messages/{messageId}',
    {
      id: 'deleteInteractionMessage',
      sdk: 'DiscordInteractionController.deleteInteractionMessage',
      summary: 'Delete an interaction message',
      description: 'Deletes a message that was sent for the interaction.',
      access: knowsInteraction,
      params: { interactionId, messageId },
      returns: NoContent,
      errors,
    },
    deleteMessage,
  ),
] as const;

const ruledGuild = confirmedCommunityAdmin('guildId');

const guestPassOperations = [
  op(
    'POST /discord/{guildId}/guest-passes',
    {
      id: 'createGuestPass',
      sdk: 'GuestPassController.createGuestPass',
      summary: 'Create a guest pass',
      description: `Creates a pass that grants its roles to a guest for a period in seconds, which defaults to ${defaultPeriodSeconds / 86_400} days. An admin then gives it to members. Roles that the bot cannot grant, or that have privileged permissions, are rejected. Rules of the type GUESTPASS can require it.`,
      access: ruledGuild,
      params: { guildId: guildParam },
      body: GuestPassRequest,
      returns: GuestPass,
      before: refuseBadPass,
      repeatable: true,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
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
        'Returns the guest passes of the server, oldest first. For its admins, and for client applications that they granted access.',
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
      description: 'Deletes a pass and removes the roles that it granted from everyone who holds it.',
      access: ruledGuild,
      params: {
        guildId: guildParam,
        passId: T.String({ description: 'The id of the pass.', minLength: 1, maxLength: 64 }),
      },
      readAt: '/discord/{guildId}/guest-passes',
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    removeGuestPass,
  ),
] as const;

export const discord = resource(
  'discord',
  'Discord servers with the bot: their roles, channels and members, guest passes, and responses to interactions.',
  [
    ...botOperations,
    ...guildOperations,
    ...webhookOperations,
    messageOperation,
    channelOperation,
    ...guestPassOperations,
    ...memberOperations,
  ],
);

type FollowUpContext = Pick<Context, 'clock' | 'db' | 'discord' | 'keyring'>;
type Message = { interactionId: string; messageId: string };

export async function followUp(
  ctx: FollowUpContext,
  { interactionId, body }: { interactionId: string; body: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  refuseOwnButtons(body);
  return askDiscord(ctx, (discord) => discord.followUp(handle, sparing(body)));
}

export async function editMessage(
  ctx: FollowUpContext,
  { interactionId, messageId, body }: Message & { body: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  refuseOwnButtons(body);
  const message = await askDiscord(ctx, (discord) => discord.editFollowUp(handle, messageId, sparing(body)));
  if (message === undefined) throw notFound('message');
  return message;
}

export async function getMessage(
  ctx: FollowUpContext,
  { interactionId, messageId }: Message,
): Promise<Record<string, unknown>> {
  const handle = await openInteraction(ctx, interactionId);
  const message = await askDiscord(ctx, (discord) => discord.readFollowUp(handle, messageId));
  if (message === undefined) throw notFound('message');
  return message;
}

export async function deleteMessage(ctx: FollowUpContext, { interactionId, messageId }: Message): Promise<void> {
  const handle = await openInteraction(ctx, interactionId);
  if (!(await askDiscord(ctx, (discord) => discord.deleteFollowUp(handle, messageId)))) throw notFound('message');
}

/** The holder of a callback URL, a mini-app for instance, may mention members, but never ping a whole server or role. */
function sparing(message: Record<string, unknown>): Record<string, unknown> {
  const { parse } = Object(message.allowed_mentions) as { parse?: unknown };
  const wantsUsers = Array.isArray(parse) && parse.includes('users');
  return { ...message, allowed_mentions: { parse: wantsUsers ? ['users'] : [] } };
}
