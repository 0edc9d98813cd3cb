import { checkMessageComponents } from './check-components.ts';
import { invalidField, refusal } from './errors.ts';
import { type Fields, readList, readNumber, readText } from './fields.ts';
import { ephemeralFlag, type MessageText } from './state/messages.ts';
import type { Message } from './state/types.ts';

const suppressEmbedsFlag = 1 << 2;
const componentsV2Flag = 1 << 15;
const settableFlags = ephemeralFlag | suppressEmbedsFlag | componentsV2Flag;

/** Parses the message fields that are present in a body. With `before`, they are changes of that message. */
function readFields(fields: Fields, before?: Message): Partial<MessageText> {
  const content = readText(fields, 'content');
  const embeds = readList(fields, 'embeds');
  const components = readList(fields, 'components');
  const attachments = readList(fields, 'attachments');
  const flags = readNumber(fields, 'flags');
  if (embeds !== undefined && embeds.length > 10) {
    throw invalidField('embeds', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  }
  const isVersion2 = (((flags ?? 0) | (before?.flags ?? 0)) & componentsV2Flag) !== 0;
  if (components !== undefined) checkMessageComponents(components, isVersion2);
  const text = {
    ...(content === undefined && !('content' in fields) ? {} : { content: content ?? '' }),
    ...(embeds === undefined && !('embeds' in fields) ? {} : { embeds: (embeds ?? []).map(completeEmbed) }),
    ...(components === undefined ? {} : { components: [...components] }),
    ...(attachments === undefined ? {} : { attachments: [...attachments] }),
    ...(flags === undefined ? {} : { flags: flags & settableFlags }),
  };
  if (isVersion2) refuseLegacy({ ...before, ...text }, fields);
  return text;
}

/** A message with the flag has components alone. */
function refuseLegacy(message: Partial<MessageText>, { poll, sticker_ids: stickers }: Fields): void {
  const legacy = { content: message.content, embeds: message.embeds, poll, sticker_ids: stickers };
  for (const [name, value] of Object.entries(legacy)) {
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    throw invalidField(
      name,
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
    );
  }
}

/**
 * Parses changes of a message. Of the flags, only those of embeds and of components can be changed, and the latter only
 * be set; whether it is ephemeral was decided when it was created.
 */
export function readChanges(fields: Fields, before: Message): Partial<MessageText> {
  const { flags = before.flags & suppressEmbedsFlag, ...text } = readFields(fields, before);
  const changed = flags & (suppressEmbedsFlag | componentsV2Flag);
  return { ...text, flags: (before.flags & ~suppressEmbedsFlag) | changed };
}

/** The flags of an announced response, which has no text yet. */
export function readAnnounced(fields: Fields): number {
  return readFields(fields).flags ?? 0;
}

/** With the defaults that Discord fills in. */
function completeEmbed(embed: unknown): Fields {
  const { fields, ...rest } = Object(embed) as Fields;
  const complete = Array.isArray(fields) ? fields.map((field) => ({ inline: false, ...Object(field) })) : fields;
  return { type: 'rich', ...rest, ...(complete !== undefined && { fields: complete }) };
}

/** A message must not be empty. */
export function readNewMessage(fields: Fields): Partial<MessageText> {
  const text = readFields(fields);
  const isEmpty = !text.content && [text.embeds, text.components, text.attachments].every((list) => !list?.length);
  if (isEmpty) throw refusal('emptyMessage');
  return text;
}
