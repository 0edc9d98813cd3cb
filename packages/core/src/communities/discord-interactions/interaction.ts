/** What somebody did with the bot, as far as it is acted on. */
export interface Interaction {
  id: string;
  applicationId: string;
  token: string;
  kind: 'ping' | 'command' | 'button' | 'autocomplete' | 'form';
  guildId: string | undefined;
  userId: string;
  userName: string | undefined;
  /** The words of a command (`latchkey`, `roles`), or the parts of a button's name. */
  words: readonly string[];
  /** The name of the command, or the custom id of the button or form, whole. */
  name: string;
  /** What was typed beside the words; of people their ids. */
  options: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<number, Interaction['kind']>> = {
  1: 'ping',
  2: 'command',
  3: 'button',
  4: 'autocomplete',
  5: 'form',
};
const [subcommand, subcommandGroup] = [1, 2];

/** Reads an interaction; undefined for kinds that are not acted on, and for what is none. */
export function readInteraction(body: unknown): Interaction | undefined {
  if (!isFields(body)) return undefined;
  const kind = kinds[Number(body.type)];
  const [id, applicationId, token] = [body.id, body.application_id, body.token].map(textOf);
  if (kind === undefined || id === undefined || applicationId === undefined || token === undefined) return undefined;
  const person =
    isFields(body.member) && isFields(body.member.user) ? body.member.user : isFields(body.user) ? body.user : {};
  const userId = textOf(person.id);
  if (kind !== 'ping' && userId === undefined) return undefined;
  const data = isFields(body.data) ? body.data : {};
  return {
    id,
    applicationId,
    token,
    kind,
    guildId: textOf(body.guild_id),
    userId: userId ?? '',
    userName: textOf(person.username),
    name: textOf(data.name) ?? textOf(data.custom_id) ?? '',
    ...(kind === 'button' || kind === 'form'
      ? { words: (textOf(data.custom_id) ?? '').split(':'), options: {} }
      : readCommand(data)),
  };
}

function readCommand(data: Fields): Pick<Interaction, 'words' | 'options'> {
  const words = [textOf(data.name) ?? ''];
  let given = optionsOf(data);
  for (let [inner] = given; inner !== undefined && isGroup(inner); [inner] = given) {
    words.push(textOf(inner.name) ?? '');
    given = optionsOf(inner);
  }
  const options = given.map(({ name, value }) => [textOf(name) ?? '', String(value ?? '').slice(0, 200)]);
  return { words, options: Object.fromEntries(options) };
}

function isGroup({ type }: Fields): boolean {
  return type === subcommand || type === subcommandGroup;
}

function optionsOf({ options }: Fields): Fields[] {
  return Array.isArray(options) ? options.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= 300 ? value : undefined;
}
