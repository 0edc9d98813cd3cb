import type { GivenRule } from '../../communities/communities/index.ts';
import { isObject, textOf } from './found-rule.ts';

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

/** The fields of a rule as our own API has them; undefined, with a problem, where one is not what it must be. */
export function readFields(given: Record<string, unknown>): { rule?: GivenRule; problem?: string } {
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
    if (!/^\d{1,15}$/.test(chainId)) return { problem: 'The field chainId is not the number of a chain.' };
    rule.chainId = Number(chainId);
  }
  if (isObject(given.variables)) rule.variables = given.variables;
  if (typeof given.requiresMetadata === 'boolean') rule.requiresMetadata = given.requiresMetadata;
  return { rule };
}
