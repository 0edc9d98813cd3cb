import { checkForm } from '../check-components.ts';
import { invalidField, refusal } from '../errors.ts';
import { type Fields, isFields, readNumber } from '../fields.ts';
import { readAnnounced, readChanges, readNewMessage } from '../read-message.ts';
import { editMessage, ephemeralFlag, loadingFlag, type MessageText, postMessage } from '../state/messages.ts';
import type { Interaction, Message } from '../state/types.ts';
import type { World } from '../state/world.ts';

/** The types of interaction responses. */
const answerTypes = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  choices: 8,
  modal: 9,
} as const;

export const tokenLivesMs = 15 * 60_000;

/** The type of an interaction in which a form was submitted. A form does not open another one. */
const submitted = 5;

/** Applies the application's first response, received by HTTP or by the callback route. */
export function respond(world: World, interaction: Interaction, fields: Fields): void {
  if (interaction.answer !== undefined) throw refusal('alreadyAcknowledged');
  const type = readNumber(fields, 'type');
  const data = isFields(fields.data) ? fields.data : {};
  switch (type) {
    case answerTypes.message:
      interaction.original = post(world, interaction, readNewMessage(data));
      break;
    case answerTypes.deferredMessage: {
      const flags = (readAnnounced(data) & ephemeralFlag) | loadingFlag;
      interaction.original = post(world, interaction, { flags });
      break;
    }
    case answerTypes.deferredUpdate:
      interaction.original = sourceOf(interaction);
      break;
    case answerTypes.update:
      interaction.original = sourceOf(interaction);
      editMessage(world, interaction.original, readChanges(data, interaction.original));
      break;
    case answerTypes.choices:
      break;
    case answerTypes.modal:
      if (interaction.type === submitted)
        throw invalidField('type', 'BASE_TYPE_CHOICES', 'Value must be one of {4, 5, 6, 7}.');
      checkForm(data);
      break;
    default:
      throw invalidField('type', 'BASE_TYPE_CHOICES', 'Value must be one of {4, 5, 6, 7, 8, 9}.');
  }
  interaction.answer = { type, data };
  interaction.settle?.();
}

/** Only an interaction with a message can change that message. */
function sourceOf({ source }: Interaction): Message {
  if (source === undefined) throw invalidField('type', 'BASE_TYPE_CHOICES', 'Value must be one of {4, 5, 9}.');
  return source;
}

function post(world: World, interaction: Interaction, text: Partial<MessageText>): Message {
  const { application, id, type, user, name } = interaction;
  return postMessage(world, interaction.channel, {
    ...text,
    author: application.bot,
    applicationId: application.id,
    interaction: { id, type, user, name },
  });
}

/** Sends a later message. The first one after "thinking" replaces it. */
export function followUp(world: World, interaction: Interaction, fields: Fields): Message {
  const { original } = interaction;
  const text = readNewMessage(fields);
  if (original !== undefined && (original.flags & loadingFlag) !== 0) {
    changeOwn(world, original, readChanges(fields, original));
    return original;
  }
  const message = post(world, interaction, text);
  interaction.followUps.push(message);
  return message;
}

/** Changes a message of the interaction. */
export function changeOwn(world: World, message: Message, changes: Partial<MessageText>): void {
  const { flags = message.flags } = changes;
  editMessage(world, message, { ...changes, flags: flags & ~loadingFlag });
}
