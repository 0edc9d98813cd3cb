import { createHash } from 'node:crypto';
import { isObject } from '@latchkey/kernel';
import type { GivenRule } from '../../communities/rule-records/index.ts';
import { chainIdOf } from './chain-names.ts';
import { refused } from './fetch-original.ts';
import { type FoundRule, type ImportSource, nameOf, textOf } from './found-rule.ts';
import { readGuild } from './read-guild.ts';

/** The column names of a sheet, in lower case without spaces, dashes and underscores. */
const columns = {
  role: ['role', 'rolename', 'discordrole'],
  roleId: ['roleid', 'discordroleid'],
  name: ['name', 'rulename', 'rule'],
  type: ['type', 'tokentype', 'standard'],
  chain: ['chain', 'chainid', 'network', 'blockchain'],
  contractAddress: ['contract', 'contractaddress', 'address', 'tokenaddress', 'mint'],
  collectionName: ['collection', 'collectionname', 'slug'],
  minToken: ['min', 'mintoken', 'minimum', 'minamount', 'amount', 'quantity'],
  maxToken: ['max', 'maxtoken', 'maximum', 'maxamount'],
  tokenId: ['tokenid', 'tokenids'],
  trait: ['trait', 'traittype', 'traitname'],
  value: ['value', 'traitvalue'],
} as const;
type Column = keyof typeof columns;

const columnOf = new Map<string, Column>(
  Object.entries(columns).flatMap(([column, names]) =>
    isColumn(column) ? names.map((name) => [name, column] as const) : [],
  ),
);

function isColumn(name: string): name is Column {
  return Object.hasOwn(columns, name);
}

/** The column names to show to people. */
const sheetColumns: readonly string[] = Object.keys(columns);

/** Reads a table with one rule per row, as CSV text or as a list of JSON objects. Undefined if it is neither. */
function readSheet(value: unknown): FoundRule[] | undefined {
  const rows = typeof value === 'string' ? rowsOfCsv(value) : rowsOfJson(value);
  return rows?.map((row, index) => readRow(row, index));
}

function rowsOfCsv(text: string): Record<string, unknown>[] | undefined {
  const [heading, ...lines] = parseCsv(text) ?? [];
  if (heading === undefined) return undefined;
  return lines.map((cells) => Object.fromEntries(heading.map((name, at) => [name, cells[at] ?? ''])));
}

function rowsOfJson(value: unknown): Record<string, unknown>[] | undefined {
  const list = isObject(value) ? (value.rules ?? value.items ?? value.roles) : value;
  return Array.isArray(list) ? list.map((row) => (isObject(row) ? row : {})) : undefined;
}

function readRow(given: Record<string, unknown>, index: number): FoundRule {
  const row: Partial<Record<Column, string>> = {};
  const strange: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const column = columnOf.get(name.toLowerCase().replace(/[\s_-]+/g, ''));
    const text = textOf(value);
    if (column !== undefined && text !== undefined) row[column] = text;
    // A list or an object would be dropped as silently as an unknown column.
    else if (column === undefined ? textOf(value) !== undefined || isFilled(value) : isFilled(value))
      strange.push(name);
  }
  const key = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 32);
  const name = nameOf(row.name, `Row ${index + 1}`);
  const found = { key, name, role: { id: row.roleId, name: row.role }, notes: [] };
  if (strange.length > 0) {
    const names = strange.slice(0, 10).map((column) => `"${column.slice(0, 60)}"`);
    const known = sheetColumns.join(', ');
    return {
      ...found,
      problem: `Unknown columns: ${names.join(', ')}. They may restrict the rule. Known columns: ${known}.`,
    };
  }
  return { ...found, ...readMeaning(row, name) };
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) || value === true;
}

function readMeaning(
  { chain, trait, value, type, ...fields }: Partial<Record<Column, string>>,
  name: string,
): Pick<FoundRule, 'rule' | 'problem'> {
  if (type === undefined) return { problem: 'The type is missing, for example ERC721 or SOLANA_NFT.' };
  const chainId = chain === undefined ? undefined : chainIdOf(chain);
  const isEvm = /^(ERC|NATIVE|STAKING|MOLOCH|GNOSIS)/i.test(type);
  if (isEvm && chain !== undefined && chainId === undefined)
    return { problem: `The chain "${chain.slice(0, 60)}" is unknown. Use its chain id instead.` };
  const { rule, problem } = readFields({ ...fields, type, chainId: isEvm ? chainId : undefined });
  if (rule === undefined) return problem === undefined ? {} : { problem };
  if (trait === undefined && value === undefined) return { rule: { ...rule, name } };
  if (trait === undefined || value === undefined || value.startsWith('$'))
    return { problem: 'A trait needs both the columns trait and value.' };
  return { rule: withTrait({ ...rule, name }, trait, value) };
}

function withTrait({ minToken, maxToken, ...rule }: GivenRule, trait: string, value: string): GivenRule {
  const counts = { minCount: minToken ?? '1', ...(maxToken !== undefined && { maxCount: maxToken }) };
  return {
    ...rule,
    version: '2.1.0',
    query: '$ownsTraits($, $_filter)',
    requiresMetadata: true,
    variables: { _filter: { filters: [{ ...counts, condition: 'and', traits: [{ trait_type: trait, value }] }] } },
  };
}

/** Parses CSV according to RFC 4180, with commas or semicolons. Undefined if a quote is never closed. */
export function parseCsv(text: string): string[][] | undefined {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const [firstLine = ''] = source.split(/\r?\n/, 1);
  const separator = firstLine.split(';').length > firstLine.split(',').length ? ';' : ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (source.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator || character === '\n') {
      row.push(cell.endsWith('\r') && character === '\n' ? cell.slice(0, -1) : cell);
      cell = '';
      if (character === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += character;
  }
  if (isQuoted) return undefined;
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((value) => value.trim() !== ''));
}

export const mostRules = 1000;

/** Parses the text of an export: JSON, or CSV for sheets. */
export function readExport(source: ImportSource, content: string, nativeCommunityId: string): FoundRule[] {
  const found = readRules(source, parse(source, content), nativeCommunityId);
  if (found === undefined || found.length === 0) throw refused('/content', emptyAdvice[source]);
  if (found.length > mostRules)
    throw refused('/content', `The export has ${found.length} rules; ${mostRules} can be imported at a time.`);
  return found;
}

export function readRules(source: ImportSource, value: unknown, nativeCommunityId: string): FoundRule[] | undefined {
  if (source === 'original') return readOriginal(value);
  return source === 'guild' ? readGuild(value, nativeCommunityId) : readSheet(value);
}

const sheetAdvice = `No rules were found. Use a CSV file with a heading line, or a JSON list of objects. Columns: ${sheetColumns.join(', ')}.`;

const emptyAdvice: Readonly<Record<ImportSource, string>> = {
  original: 'No rules were found. Use the response of GET /communities/{id}/tpcs of the original.',
  guild: 'No roles were found. Use the JSON that Guild’s API returns for the guild, with its roles and requirements.',
  vulcan: sheetAdvice,
  matrica: sheetAdvice,
  sheet: sheetAdvice,
};

function parse(source: ImportSource, content: string): unknown {
  const isJson = /^\s*[[{]/.test(content);
  if (!isJson && source !== 'original' && source !== 'guild') return content;
  try {
    return JSON.parse(content);
  } catch {
    throw refused('/content', 'The export is not valid JSON. Check that you copied the whole file.');
  }
}

/**
 * Reads rules in the form of the published `GET /communities/{id}/tpcs`: a page, a list, or a community that includes
 * its rules. Undefined if it is none of these.
 */
function readOriginal(value: unknown): FoundRule[] | undefined {
  const items = listIn(value);
  return items?.map((item, index) => readOne(item, index));
}

function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const list = value.items ?? value.tpcs ?? value.rules;
  return Array.isArray(list) ? list : undefined;
}

function readOne(item: unknown, index: number): FoundRule {
  const fallback = `Rule ${index + 1}`;
  if (!isObject(item))
    return { key: fallback, name: fallback, role: {}, notes: [], problem: 'This is not a rule of the original.' };
  const id = textOf(item.id) ?? textOf(item.sk);
  const found = {
    key: id ?? JSON.stringify(item),
    name: nameOf(item.name, id ?? fallback),
    role: { id: roleOf(item), name: textOf(item.roleName) },
    notes: [],
  };
  const kind = `${textOf(item.type) ?? ''} ${textOf(item.scheme) ?? ''}`.toUpperCase();
  // Guest passes have different ids on every server, so the filter would name passes that do not exist here.
  if (/\b(GUESTPASS|VC)\b/.test(kind))
    return {
      ...found,
      problem: 'Guest passes stay with the service that gave them. Create a guest pass here instead.',
    };
  const { rule, problem } = readFields(item);
  if (rule === undefined) return { ...found, ...(problem !== undefined && { problem }) };
  return { ...found, rule: { ...rule, name: found.name } };
}

function roleOf(item: Record<string, unknown>): string | undefined {
  const composition = isObject(item.variables) ? item.variables.roleComposition : undefined;
  return textOf(item.roleId) ?? (isObject(composition) ? textOf(composition.roleId) : undefined);
}

const mostCharacters = 8000;
const texts = [
  'description',
  'minToken',
  'maxToken',
  'tokenSymbol',
  'tokenId',
  'collectionName',
  'eventId',
  'contractAddress',
  'type',
  'scheme',
  'query',
  'asset',
  'version',
] as const;

/** Reads the fields of a rule in the form of our API; returns a problem if one is invalid. */
function readFields(given: Record<string, unknown>): { rule?: GivenRule; problem?: string } {
  const rule: GivenRule = {};
  for (const field of texts) {
    const value = given[field];
    if (value === undefined || value === null || value === '') continue;
    const text = textOf(value);
    if (text === undefined || text.length > mostCharacters) return { problem: `The field ${field} cannot be read.` };
    rule[field] = field === 'description' ? text.slice(0, 2000) : text;
  }
  const chainId = textOf(given.chainId);
  if (chainId !== undefined) {
    if (!/^\d{1,15}$/.test(chainId)) return { problem: 'The field chainId is not a valid chain id.' };
    rule.chainId = Number(chainId);
  }
  if (isObject(given.variables)) rule.variables = given.variables;
  if (typeof given.requiresMetadata === 'boolean') rule.requiresMetadata = given.requiresMetadata;
  return { rule };
}
