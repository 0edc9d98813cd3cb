import { type Access, NoContent, OpenObject, op, T } from '@latchkey/kernel';
import { deleteMessage, editMessage, followUp, getMessage } from './follow-up.ts';
import { interactionTtlSeconds } from './interaction-state.ts';

/** Whoever knows the interaction's id, which this server made up and gave to one program. */
const knowsInteraction: Access = { roles: [], scopes: [] };

const interactionId = T.String({
  description: `The id of the interaction, from the callbackUrl that came with it. It works for ${interactionTtlSeconds / 60} minutes.`,
  minLength: 1,
  maxLength: 64,
});
const messageId = T.String({
  description: 'The id of the message, or @original for the first answer.',
  pattern: '^(@original|[0-9]{15,20})$',
  maxLength: 20,
});
const errors = ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'] as const;

export const webhookOperations = [
  op(
    'POST /discord/webhooks/{interactionId}',
    {
      id: 'followupInteractionMessage',
      sdk: 'DiscordInteractionController.followupInteractionMessage',
      summary: 'Follow up on an interaction',
      description:
        'Sends another message to the person who started the interaction. No credential is needed: knowing the id of the interaction is the right to answer it. An id that was never given out and one that is over look the same.',
      facts: {
        needsNoKey: 'Writes on Discord, which no transaction can take back.',
        freeBody: 'A message, as Discord takes them.',
      },
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
      summary: 'Change a message of an interaction',
      description: 'Changes a message that was sent for the interaction and returns it.',
      facts: { freeBody: 'A message, as Discord takes them.' },
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
      summary: 'Read a message of an interaction',
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
      summary: 'Delete a message of an interaction',
      description: 'Deletes a message that was sent for the interaction.',
      access: knowsInteraction,
      params: { interactionId, messageId },
      returns: NoContent,
      errors,
    },
    deleteMessage,
  ),
] as const;
