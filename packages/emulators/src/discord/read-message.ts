import { invalidField, refusal } from './errors.ts';
import { type Fields, isFields, readList, readNumber, readText } from './fields.ts';
import { ephemeralFlag, type MessageText } from './state/messages.ts';

const suppressEmbedsFlag = 1 << 2;
const componentsV2Flag = 1 << 15;
const settableFlags = ephemeralFlag | suppressEmbedsFlag | componentsV2Flag;
const buttonType = 2;
const linkStyle = 5;

/** Parses the message fields that are present in a body. */
export function readMessage(fields: Fields): Partial<MessageText> {
  const content = readText(fields, 'content');
  const embeds = readList(fields, 'embeds');
  const components = readList(fields, 'components');
  const attachments = readList(fields, 'attachments');
  const flags = readNumber(fields, 'flags');
  if (embeds !== undefined && embeds.length > 10) {
    throw invalidField('embeds', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  }
  if (components !== undefined) checkComponents(components);
  return {
    ...(content === undefined && !('content' in fields) ? {} : { content: content ?? '' }),
    ...(embeds === undefined ? {} : { embeds: embeds.map(completeEmbed) }),
    ...(components === undefined ? {} : { components: [...components] }),
    ...(attachments === undefined ? {} : { attachments: [...attachments] }),
    ...(flags === undefined ? {} : { flags: flags & settableFlags }),
  };
}

/** With the defaults that Discord fills in. */
function completeEmbed(embed: unknown): Fields {
  const { fields, ...rest } = Object(embed) as Fields;
  const complete = Array.isArray(fields) ? fields.map((field) => ({ inline: false, ...Object(field) })) : fields;
  return { type: 'rich', ...rest, ...(complete !== undefined && { fields: complete }) };
}

/** A message must not be empty. */
export function readNewMessage(fields: Fields): Partial<MessageText> {
  const text = readMessage(fields);
  const isEmpty = !text.content && [text.embeds, text.components, text.attachments].every((list) => !list?.length);
  if (isEmpty) throw refusal('emptyMessage');
  return text;
}

/** Checks for at most five per row, and buttons with a custom id or a link. */
function checkComponents(rows: readonly unknown[]): void {
  if (rows.length > 5) throw invalidField('components', 'BASE_TYPE_MAX_LENGTH', 'Must be 5 or fewer in length.');
  for (const [at, row] of rows.entries()) {
    const inner = isFields(row) ? (readList(row, 'components') ?? []) : [];
    const path = `components.${at}.components`;
    if (inner.length > 5) throw invalidField(path, 'BASE_TYPE_MAX_LENGTH', 'Must be 5 or fewer in length.');
    for (const [index, component] of inner.entries()) {
      if (!isFields(component) || component.type !== buttonType) continue;
      const name = component.style === linkStyle ? 'url' : 'custom_id';
      if (typeof component[name] !== 'string') {
        throw invalidField(`${path}.${index}.${name}`, 'BASE_TYPE_REQUIRED', 'This field is required');
      }
    }
  }
}
