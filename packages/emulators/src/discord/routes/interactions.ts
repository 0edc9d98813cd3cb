import { type Call, type Define, idOf, paramOf } from '../call.ts';
import { refusal } from '../errors.ts';
import { changeOwn, followUp, respond, tokenLivesMs } from '../interactions/respond.ts';
import { readChanges } from '../read-message.ts';
import { noContent, ok, type Reply } from '../reply.ts';
import { deleteMessage } from '../state/messages.ts';
import type { Interaction, Message } from '../state/types.ts';
import { viewMessage } from '../views.ts';

/** These routes need no credential: the interaction token in the path is the credential. */
export function defineInteractions(define: Define): void {
  const open = { isOpen: true };
  const base = '/webhooks/:application/:token';
  define('POST /interactions/:interaction/:token/callback', 'other', callBack, open);
  define(`POST ${base}`, 'webhook-write', sendFollowUp, open);
  define(`GET ${base}/messages/:message`, 'other', (call) => ok(viewMessage(messageOf(call, find(call)))), open);
  define(`PATCH ${base}/messages/:message`, 'webhook-write', changeMessage, open);
  define(`DELETE ${base}/messages/:message`, 'webhook-write', removeMessage, open);
}

function callBack(call: Call): Reply {
  const interaction = call.world.interactions.get(paramOf(call, 'token'));
  if (interaction === undefined || interaction.id !== idOf(call, 'interaction')) throw refusal('unknownInteraction');
  const ageMs = call.world.clock() - interaction.createdAtMs;
  if (interaction.answer === undefined && ageMs > call.world.answerWithinMs) throw refusal('unknownInteraction');
  respond(call.world, interaction, call.body);
  if (call.query.get('with_response') !== 'true') return noContent;
  const { id, type, original, answer } = interaction;
  return ok({
    interaction: { id, type, response_message_id: original?.id, response_message_ephemeral: false },
    resource: { type: answer?.type, ...(original === undefined ? {} : { message: viewMessage(original) }) },
  });
}

function find(call: Call): Interaction {
  const interaction = call.world.interactions.get(paramOf(call, 'token'));
  if (interaction === undefined || interaction.application.id !== idOf(call, 'application')) {
    throw refusal('unknownWebhook');
  }
  if (call.world.clock() - interaction.createdAtMs > tokenLivesMs) throw refusal('invalidWebhookToken');
  // Before the first response, the webhook cannot be used.
  if (interaction.answer === undefined) throw refusal('unknownWebhook');
  return interaction;
}

function messageOf(call: Call, { original, followUps }: Interaction): Message {
  const id = paramOf(call, 'message');
  const message = id === '@original' ? original : [original, ...followUps].find((one) => one?.id === id);
  if (message === undefined) throw refusal('unknownMessage');
  return message;
}

function sendFollowUp(call: Call): Reply {
  const interaction = find(call);
  return ok(viewMessage(followUp(call.world, interaction, call.body)));
}

function changeMessage(call: Call): Reply {
  const message = messageOf(call, find(call));
  changeOwn(call.world, message, readChanges(call.body, message));
  return ok(viewMessage(message));
}

function removeMessage(call: Call): Reply {
  const interaction = find(call);
  const message = messageOf(call, interaction);
  deleteMessage(call.world, interaction.channel, message);
  if (message === interaction.original) delete interaction.original;
  else interaction.followUps.splice(interaction.followUps.indexOf(message), 1);
  return noContent;
}
