import { botOf, type Call, type Define, guildOf, idOf } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { type Fields, isFields, readList, readNumber, readRequiredText } from '../fields.ts';
import { created, noContent, ok, type Reply } from '../reply.ts';
import type { Application, Command, Snowflake } from '../state/types.ts';
import { viewCommand } from '../views.ts';

const chatInput = 1;
const mostCommands = 100;
const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

export function defineCommands(define: Define): void {
  for (const base of ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands']) {
    define(`GET ${base}`, 'other', listCommands);
    define(`PUT ${base}`, 'command-write', replaceCommands);
    define(`POST ${base}`, 'command-write', addCommand);
    define(`GET ${base}/:command`, 'other', (call) => ok(viewCommand(find(call).command)));
    define(`PATCH ${base}/:command`, 'command-write', changeCommand);
    define(`DELETE ${base}/:command`, 'command-write', removeCommand);
  }
}

interface Shelf {
  application: Application;
  guildId: Snowflake | undefined;
  commands: Map<Snowflake, Command>;
}

/** Returns the bot's own commands, of a guild or global. */
function shelfOf(call: Call): Shelf {
  const application = botOf(call);
  if (idOf(call, 'application') !== application.id) throw refusal('missingAccess');
  const guildId = call.params.guild === undefined ? undefined : guildOf(call).guild.id;
  const commands = application.commands.get(guildId ?? '') ?? new Map<Snowflake, Command>();
  application.commands.set(guildId ?? '', commands);
  return { application, guildId, commands };
}

function find(call: Call): Shelf & { command: Command } {
  const shelf = shelfOf(call);
  const command = shelf.commands.get(idOf(call, 'command'));
  if (command === undefined) throw refusal('unknownCommand');
  return { ...shelf, command };
}

function listCommands(call: Call): Reply {
  return ok(Array.from(shelfOf(call).commands.values(), viewCommand));
}

function replaceCommands(call: Call): Reply {
  const shelf = shelfOf(call);
  const list = call.list ?? [];
  if (list.length > mostCommands)
    throw invalidField('commands', 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.');
  const checked = list.map((fields, index) => check(shelf, fields, `${index}.`));
  const before = [...shelf.commands.values()];
  shelf.commands.clear();
  for (const fields of checked) put(call, shelf, fields, before);
  return ok(Array.from(shelf.commands.values(), viewCommand));
}

function addCommand(call: Call): Reply {
  const shelf = shelfOf(call);
  const fields = check(shelf, call.body, '');
  const before = [...shelf.commands.values()];
  const isNew = !before.some((command) => command.fields.name === fields.name);
  const view = viewCommand(put(call, shelf, fields, before));
  return isNew ? created(view) : ok(view);
}

function changeCommand(call: Call): Reply {
  const { command, commands, ...shelf } = find(call);
  const changed: Command = {
    ...command,
    version: call.world.nextId(),
    fields: check(shelf, { ...command.fields, ...call.body }, ''),
  };
  commands.set(command.id, changed);
  return ok(viewCommand(changed));
}

function removeCommand(call: Call): Reply {
  const { command, commands } = find(call);
  commands.delete(command.id);
  return noContent;
}

/** A command with an existing name replaces it and keeps its id. */
function put(call: Call, shelf: Shelf, fields: Fields, before: readonly Command[]): Command {
  const known = before.find((command) => command.fields.name === fields.name && command.fields.type === fields.type);
  const command: Command = {
    id: known?.id ?? call.world.nextId(),
    applicationId: shelf.application.id,
    ...(shelf.guildId === undefined ? {} : { guildId: shelf.guildId }),
    version: call.world.nextId(),
    fields,
  };
  shelf.commands.set(command.id, command);
  return command;
}

/** As Discord lists them under “Locales”. */
const locales = new Set(
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko'.split(
    ' ',
  ),
);

/** Names and descriptions in other languages, of the command and of those below it. */
function checkLocalizations(fields: Fields, path: string): void {
  const names = isFields(fields.name_localizations) ? fields.name_localizations : {};
  const descriptions = isFields(fields.description_localizations) ? fields.description_localizations : {};
  for (const locale of [...Object.keys(names), ...Object.keys(descriptions)])
    if (!locales.has(locale))
      throw invalidField(`${path}${locale}`, 'ENUM_TYPE_COERCE', `Value "${locale}" is not a valid enum value.`);
  for (const name of Object.values(names))
    if (!namePattern.test(String(name)) || name !== String(name).toLowerCase())
      throw invalidField(`${path}name_localizations`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  for (const locale of Object.keys(descriptions)) readRequiredText(descriptions, locale, 100);
  const below = Array.isArray(fields.options) ? fields.options.filter(isFields) : [];
  below.forEach((option, index) => {
    checkLocalizations(option, `${path}options.${index}.`);
  });
}

/** A command cannot be available where the application cannot be installed. */
function checkInstallations({ application }: Pick<Shelf, 'application'>, fields: Fields, path: string): void {
  for (const type of readList(fields, 'integration_types') ?? [])
    if (type !== 0 && !(type === 1 && application.isPersonal))
      throw invalidField(
        `${path}integration_types`,
        'APPLICATION_COMMAND_INVALID_INTEGRATION_TYPE',
        'The integration type is not supported by the application.',
      );
}

function check(shelf: Pick<Shelf, 'application'>, fields: unknown, path: string): Fields {
  if (!isFields(fields))
    throw invalidField(`${path}_`, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType.');
  const type = readNumber(fields, 'type') ?? chatInput;
  const name = readRequiredText(fields, 'name', 32);
  checkInstallations(shelf, fields, path);
  if (type === chatInput) {
    if (!namePattern.test(name) || name !== name.toLowerCase()) {
      throw invalidField(`${path}name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
    }
    readRequiredText(fields, 'description', 100);
    checkLocalizations(fields, path);
  }
  return { ...fields, type };
}
