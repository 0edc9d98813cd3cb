import { isObject } from '../../shared/is-object.ts';
import type { FieldName, FieldWords } from './kinds.ts';
import type { Fields } from './tree/node.ts';

export const fieldWords: Readonly<Record<FieldName, FieldWords>> = {
  contractAddress: { label: 'Contract, mint or collection', placeholder: 'Contract address' },
  chainId: { label: 'Chain' },
  tokenId: {
    label: 'Token ids',
    placeholder: 'Any',
    hint: 'A list, ranges or both: 7, 12, 20-30. Or the https address of a list.',
  },
  collectionName: { label: 'Collection', placeholder: 'The name in its link' },
  tokenSymbol: { label: 'Symbol' },
  eventId: { label: 'POAP drops', placeholder: '14000, 14001', hint: 'Any of them is enough.' },
  minToken: { label: 'At least', placeholder: '1' },
  maxToken: { label: 'At most', placeholder: 'No limit' },
  _to: { label: 'Stream goes to', placeholder: '0x…' },
  _minMonthlyRate: { label: 'At least, per month' },
  _functionName: { label: 'Function', placeholder: 'balanceOf(address)' },
  _args: { label: 'Arguments', hint: 'A JSON list; $account stands for the wallet.' },
  _decimals: { label: 'Decimals' },
  _swapScore: { label: 'SwapScore of at least' },
  _owners: { label: 'Which owners', hint: '"any", "first" or {"atLeast": 2}, as JSON.' },
  _filter: { label: 'What must match', hint: 'A JSON filter, as in the documentation of rules.' },
  roleComposition: { label: 'Which roles', hint: 'As JSON: action, roleId, operator and condition.' },
};

/** Fields that hold more than a text. */
export const jsonFields: readonly FieldName[] = ['_args', '_owners', '_filter', 'roleComposition'];

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
