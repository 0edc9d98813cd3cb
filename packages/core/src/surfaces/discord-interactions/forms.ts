import type { TSchema } from '@latchkey/kernel';
import { listGuestPasses } from '../../communities/guest-passes/index.ts';
import { type DiscordForm, discordComponents } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages, messagesIn } from '../../shared/messages/index.ts';
import { truncate } from '../bot-replies/index.ts';
import { type FormName, formInputs, userOption } from './commands.ts';

/** The limits of Discord for a form. */
const [longestTitle, longestLabel, mostOptions] = [45, 45, 25];
/** From this length on, a text gets several lines. */
const longText = 100;

interface Option {
  label: string;
  value: string;
}

/** A form for what was not entered with the command. What was entered is filled in. */
export async function describeForm(
  ctx: Context,
  communityId: string,
  name: FormName,
  given: Readonly<Record<string, string>>,
): Promise<DiscordForm> {
  const t = messagesIn(ctx.locale);
  const titles: Record<FormName, string> = {
    kudos: t('command.kudos.title'),
    guest: adminMessages('form.guest'),
    why: adminMessages('form.why'),
    find_rule: adminMessages('form.findRule'),
  };
  const labels: Readonly<Record<string, string>> =
    name === 'kudos'
      ? { user: t('command.kudos.user'), type: t('command.kudos.type'), text: t('command.kudos.text') }
      : {};
  const passes = name === 'guest' ? await passesOf(ctx, communityId) : undefined;
  return {
    custom_id: `latchkey:${name}`,
    title: truncate(titles[name], longestTitle),
    components: Object.entries(formInputs[name].input.properties).map(([field, schema]) => ({
      type: discordComponents.label,
      label: truncate(labels[field] ?? String(Object(schema).description ?? field), longestLabel),
      component: inputFor(field, schema, given[field], field === 'pass' ? passes : undefined),
    })),
  };
}

/** The guest passes to choose from. Undefined if they are more than a form can list, so that one is typed. */
async function passesOf(ctx: Context, guildId: string): Promise<Option[] | undefined> {
  const passes = await listGuestPasses(ctx, { guildId });
  if (passes.length === 0 || passes.length > mostOptions) return undefined;
  return passes.flatMap(({ id, name }) =>
    id === undefined ? [] : [{ label: truncate(name ?? id, longText), value: id }],
  );
}

function inputFor(
  name: string,
  schema: TSchema,
  given: string | undefined,
  choices: readonly Option[] | undefined,
): DiscordForm['components'][number]['component'] {
  const { maxLength = longText, enum: words } = schema as { maxLength?: number; enum?: readonly string[] };
  const options = choices ?? words?.map((word) => ({ label: word, value: word }));
  if (options !== undefined)
    return {
      type: discordComponents.select,
      custom_id: name,
      options: options.map((option) => ({ ...option, ...(option.value === given && { default: true }) })),
    };
  if ('x-option' in schema && schema['x-option'] === userOption)
    return {
      type: discordComponents.userSelect,
      custom_id: name,
      ...(given !== undefined && { default_values: [{ id: given, type: 'user' }] }),
    };
  return {
    type: discordComponents.textInput,
    custom_id: name,
    style: maxLength > longText ? 2 : 1,
    max_length: maxLength,
    ...(given !== undefined && { value: given.slice(0, maxLength) }),
  };
}
