import { isObject } from '../../shared/is-object.ts';
import type { FieldName, FieldWords } from './kinds.ts';
import type { Fields } from './tree/node.ts';

export const fieldWords: Readonly<Record<FieldName, FieldWords>> = {
  contractAddress: { label: 'Contract', placeholder: 'Paste its address, or type a name' },
  chainId: { label: 'Chain' },
  tokenId: {
    label: 'Which tokens count',
    placeholder: 'All of them',
    hint: 'Numbers and ranges: 7, 12, 20-30. Or the https address of a list.',
  },
  collectionName: { label: 'Collection', placeholder: 'The name in its link' },
  tokenSymbol: { label: 'Symbol', placeholder: 'WHALE' },
  eventId: {
    label: 'POAP drops',
    placeholder: '14000, 14001',
    hint: 'Paste the link of a drop, or its number. Any of several is enough.',
  },
  minToken: { label: 'At least', placeholder: '1' },
  maxToken: { label: 'At most', placeholder: 'No limit' },
  _to: { label: 'Stream goes to', placeholder: '0x…', hint: 'The address that receives the stream.' },
  _minMonthlyRate: { label: 'At least, per month', placeholder: '1' },
  _functionName: { label: 'Function' },
  _swapScore: { label: 'SwapScore of at least', placeholder: '2000' },
  _owners: { label: 'Who counts' },
  _filter: { label: 'What must match' },
  roleComposition: { label: 'Which roles' },
};

function isVariable(name: string): boolean {
  return name.startsWith('_') || name === 'roleComposition';
}

export function readField(fields: Fields, name: string): unknown {
  if (!isVariable(name)) return fields[name];
  return isObject(fields.variables) ? fields.variables[name] : undefined;
}

/** Sets a field of a condition, or takes it away with undefined. */
export function writeField(fields: Fields, name: string, value: unknown): Fields {
  if (!isVariable(name)) return put(fields, name, value);
  const variables = put(isObject(fields.variables) ? fields.variables : {}, name, value);
  return put(fields, 'variables', Object.keys(variables).length === 0 ? undefined : variables);
}

function put(fields: Fields, name: string, value: unknown): Fields {
  const { [name]: _, ...others } = fields;
  return value === undefined ? others : { ...fields, [name]: value };
}

/** A field as people type it. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** What a pasted link names, where a field takes an id that people only see in links; other text stays. */
export function fromLink(name: FieldName, typed: string): string {
  const parts = /^https?:\/\/\S+$/i.test(typed.trim()) ? typed.trim().split(/[/?#]+/) : [];
  const last = (pattern: RegExp) => parts.findLast((part) => pattern.test(part));
  if (name === 'eventId') return last(/^\d{1,12}$/) ?? typed;
  if (name === 'tokenId') return last(/^GC\w{3,40}$/) ?? typed;
  if (name === 'collectionName') return parts[parts.indexOf('collection') + 1] ?? typed;
  return typed;
}
