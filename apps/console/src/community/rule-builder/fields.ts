import { isObject } from '../../shared/is-object.ts';
import type { FieldName, FieldTexts, Kind } from './kinds.ts';
import { t } from './messages/index.ts';
import type { Fields } from './tree/node.ts';

const fieldTexts: Readonly<Record<FieldName, FieldTexts>> = {
  contractAddress: { label: 'field.contract', placeholder: 'field.contractPlaceholder' },
  chainId: { label: 'field.chain' },
  tokenId: { label: 'field.tokens', placeholder: 'field.tokensPlaceholder', hint: 'field.tokensHint' },
  collectionName: { label: 'field.collection', placeholder: 'field.collectionPlaceholder' },
  tokenSymbol: { label: 'field.symbol', sample: 'WHALE' },
  eventId: { label: 'field.events', sample: '14000, 14001', hint: 'field.eventsHint' },
  minToken: { label: 'field.atLeast', sample: '1' },
  maxToken: { label: 'field.atMost', placeholder: 'field.atMostPlaceholder' },
  _to: { label: 'field.streamTo', sample: '0x…', hint: 'field.streamToHint' },
  _minMonthlyRate: { label: 'field.monthlyRate', sample: '1' },
  _functionName: { label: 'field.function' },
  _swapScore: { label: 'field.swapScore', sample: '2000' },
  _owners: { label: 'field.owners' },
  _filter: { label: 'field.filter' },
  roleComposition: { label: 'field.roles' },
};

/** What people call a field, and what helps to fill it in. */
export interface FieldWords {
  label: string;
  placeholder: string | undefined;
  hint: string | undefined;
}

/** The words for a field of a condition of this kind. */
export function wordsOf(name: FieldName, kind: Kind): FieldWords {
  return say(kind.texts?.[name] ?? fieldTexts[name]);
}

/** The words for the contract of a token, which says itself what kind of token it is. */
export function tokenWords(): FieldWords {
  return say({ label: 'field.token', placeholder: 'field.tokenPlaceholder' });
}

function say({ label, placeholder, sample, hint }: FieldTexts): FieldWords {
  return { label: t(label), placeholder: sample ?? (placeholder && t(placeholder)), hint: hint && t(hint) };
}

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
