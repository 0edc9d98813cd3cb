import { AppError } from '@latchkey/kernel';
import { toDecimal } from './decimal.ts';
import type { Definition } from './definition.ts';
import { isObject } from './is-object.ts';
import type { AssetKind } from './kinds.ts';
import type { Problems } from './problems.ts';
import { readBounds, readTraitFilter } from './read-filter.ts';
import { readQueryInRule } from './read-query-in-rule.ts';
import { readOwners, readReading } from './read-reading.ts';
import { findReserved } from './reserved-names.ts';
import type { Asset, Leaf } from './rule.ts';

const templates: Readonly<Record<string, 'traits' | 'balance'>> = {
  '$ownsTraits($,$_filter)': 'traits',
  '#ownsTraits': 'traits',
  '$ownsBalance($,$_filter)': 'balance',
  '#ownsBalance': 'balance',
};

/** Reads a rule about one asset: an amount, the owners of a Safe, traits, or a query of its own. */
export function readAssetLeaf(
  fields: Definition,
  kind: AssetKind,
  asset: Asset,
  path: string,
  problems: Problems,
): Leaf | undefined {
  refuseReserved(fields, path);
  const leaf = { label: kind.name, asset, reading: readReading(fields, asset, path, problems) };
  if (kind.standard === 'safe') return { kind: 'safe', ...leaf, owners: readOwners(fields, path, problems) };
  const text = typeof fields.query === 'string' ? fields.query.trim() : '';
  const template = templates[text.replace(/\s+/g, '')];
  const filter = fields.variables._filter;
  const hasTraits = isObject(filter) && filter.filters !== undefined;
  if (template === 'traits' || (text === '' && (hasTraits || kind.name === 'twitter'))) {
    return { kind: 'traits', ...leaf, filter: readTraitFilter(filter, `${path}/variables/_filter`, problems) };
  }
  if (text === '' || template === 'balance')
    return { kind: 'holding', ...leaf, ...readAmounts(fields, kind, path, problems) };
  const query = readQueryInRule(text, `${path}/query`, problems);
  const needs = fields.requiresMetadata === true ? 'metadata' : 'tokens';
  return query && { kind: 'query', ...leaf, query, variables: fields.variables, needs };
}

function readAmounts(fields: Definition, kind: AssetKind, path: string, problems: Problems) {
  const { variables, minToken, maxToken, swapScore } = fields;
  if (kind.standard === 'trustswap')
    return readBounds(
      swapScore ?? variables._swapScore ?? minToken,
      maxToken,
      path,
      ['swapScore', 'maxToken'],
      problems,
    );
  if (variables._minMonthlyRate !== undefined) {
    const place = `${path}/variables`;
    return readBounds(variables._minMonthlyRate, undefined, place, ['_minMonthlyRate', '_maxMonthlyRate'], problems);
  }
  const filter = variables._filter;
  if (isObject(filter)) {
    return readBounds(
      filter.minCount,
      filter.maxCount,
      `${path}/variables/_filter`,
      ['minCount', 'maxCount'],
      problems,
    );
  }
  if (variables._minCount !== undefined && toDecimal(minToken) === undefined) {
    return readBounds(
      variables._minCount,
      variables._maxCount,
      `${path}/variables`,
      ['_minCount', '_maxCount'],
      problems,
    );
  }
  return readBounds(minToken, maxToken, path, ['minToken', 'maxToken'], problems);
}

// A variable called `sum` would silently change what $sum means further on in the query.
function refuseReserved({ variables }: Definition, path: string): void {
  const name = findReserved(Object.keys(variables));
  if (name === undefined) return;
  throw new AppError(
    'INVALID_PARAMETER_VALUE',
    `A variable must not be called "${name}": queries have a function of this name. Write it with a "_" in front.`,
    { details: [{ path: `${path}/variables/${name}`, code: 'reserved', message: 'is the name of a function' }] },
  );
}
