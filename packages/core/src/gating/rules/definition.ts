import { isObject } from '@latchkey/kernel';
import type { Problems } from './problems.ts';

/** The fields of a rule as sent over the wire; only their presence has been checked. */
export interface Definition {
  id?: unknown;
  roleId?: unknown;
  type?: unknown;
  scheme?: unknown;
  version?: unknown;
  chainId?: string | number;
  contractAddress?: unknown;
  collectionName?: unknown;
  tokenSymbol?: unknown;
  tokenId?: unknown;
  eventId?: unknown;
  functionName?: unknown;
  swapScore?: unknown;
  minToken?: unknown;
  maxToken?: unknown;
  asset?: unknown;
  query?: unknown;
  requiresMetadata?: unknown;
  visibility?: unknown;
  variables: Readonly<Record<string, unknown>>;
}

const versions = ['1.0.0', '2.0.0', '2.1.0'];

/** Splits a rule into its parts. Adds a problem and returns undefined for anything but an object. */
export function readDefinition(value: unknown, path: string, problems: Problems): Definition | undefined {
  if (!isObject(value)) {
    problems.add(path, 'type', 'a rule must be an object.');
    return undefined;
  }
  const { variables = {}, chainId, ...fields } = dropNulls(value);
  if (!isObject(variables)) problems.add(`${path}/variables`, 'type', 'variables must be an object.');
  if (fields.version !== undefined && !versions.includes(String(fields.version))) {
    problems.add(`${path}/version`, 'enum', `the version must be one of ${versions.join(', ')}.`);
  }
  if (chainId !== undefined && typeof chainId !== 'number' && typeof chainId !== 'string') {
    problems.add(`${path}/chainId`, 'type', 'chainId must be a number.');
  }
  return {
    ...fields,
    ...((typeof chainId === 'number' || (typeof chainId === 'string' && chainId !== '')) && { chainId }),
    variables: isObject(variables) ? dropNulls(variables) : {},
  };
}

function dropNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined));
}
