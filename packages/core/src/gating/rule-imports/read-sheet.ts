import { createHash } from 'node:crypto';
import type { GivenRule } from '../../communities/communities/index.ts';
import { chainIdOf } from './chain-names.ts';
import { type FoundRule, isObject, nameOf, textOf } from './found-rule.ts';
import { parseCsv } from './parse-csv.ts';
import { readFields } from './read-fields.ts';

/** What the columns of a sheet are called, without spaces, dashes, underscores and case. */
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

/** The columns for people: what a sheet may have. */
export const sheetColumns: readonly string[] = Object.keys(columns);

/** Reads a table with one rule in each row, as CSV text or as a list of JSON objects. Undefined for what is neither. */
export function readSheet(value: unknown): FoundRule[] | undefined {
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
    // A list or an object would be lost as quietly as an unknown column.
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
      problem: `What ${names.join(', ')} means is not known, and it may narrow the rule. Known columns: ${known}.`,
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
    return { problem: `The chain "${chain.slice(0, 60)}" is not known by that name. Write its number instead.` };
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
