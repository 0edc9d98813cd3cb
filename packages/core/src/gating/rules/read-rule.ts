import { AppError, isObject } from '@latchkey/kernel';
import { toDecimal } from '../../shared/decimal.ts';
import { type AssetKind, findKind, knownKindNames, otherKinds } from './kinds.ts';
import { collectProblems, type Problems } from './problems.ts';
import { type Definition, kindOfCaip, readAssets, readCaip, readDefinition } from './read-asset.ts';
import { readBounds, readQueryInRule, readTraitFilter } from './read-filter.ts';
import { findReserved } from './reserved-names.ts';
import type {
  Asset,
  CompositionLeaf,
  Concealment,
  Condition,
  Leaf,
  Reading,
  RoleComposition,
  Rule,
  SafeLeaf,
} from './rule.ts';

export const defaultRoleId = '001';

/**
 * Parses a rule as sent over the API: flat (1.0.0), with a JSONata query (2.0.0 and 2.1.0), or `scheme: "logic"` with a
 * tree of rules. Throws VALIDATION_FAILED with a detail for each problem, and INVALID_PARAMETER_VALUE for variables
 * with the name of a function.
 */
export function readRule(definition: unknown, path = ''): Rule {
  return read(definition, path, collectProblems());
}

/** Parses a rule that was validated before it was saved. */
export function readSavedRule(definition: unknown): Rule {
  return read(definition, '', collectProblems({ trustsQueries: true }));
}

function read(definition: unknown, path: string, problems: Problems): Rule {
  const fields = readDefinition(definition, path, problems);
  const condition = fields && readCondition(fields, path, problems, { leaves: 0 }, 0);
  const { id, roleId = defaultRoleId } = fields ?? {};
  if (typeof roleId !== 'string' || roleId.length > 256) {
    problems.add(`${path}/roleId`, 'type', 'a roleId must be a string of up to 256 characters.');
  }
  problems.throwIfAny();
  if (condition === undefined) throw new Error('A rule without faults has a condition.');
  return { ...(typeof id === 'string' && id !== '' && { id }), roleId: String(roleId), condition };
}

/** Parses the condition of a rule. Also called for every leaf of a logic tree. */
function readCondition(
  fields: Definition,
  path: string,
  problems: Problems,
  counts: LogicCounts,
  depth: number,
): Condition | undefined {
  const name = nameOf(fields);
  if (name === 'LOGIC') {
    const readPart = (value: unknown, place: string, level: number) => {
      const part = readDefinition(value, place, problems);
      return part && readCondition(part, place, problems, counts, level);
    };
    return readLogic(fields.variables.rule, `${path}/variables/rule`, problems, counts, depth, readPart);
  }
  counts.leaves += 1;
  const concealed = readConcealment(fields, path, problems);
  const leaf = readLeaf(fields, name, path, problems, depth);
  return leaf && concealed ? conceal(leaf, concealed) : leaf;
}

/** Parses how much members may see of a condition in a tree. */
function readConcealment({ visibility }: Definition, path: string, problems: Problems): Concealment | undefined {
  if (visibility === 'secret' || visibility === 'hidden') return visibility;
  if (visibility !== undefined && visibility !== 'public')
    problems.add(`${path}/visibility`, 'enum', 'a condition’s visibility must be public, secret or hidden.');
  return undefined;
}

function conceal(condition: Condition, concealed: Concealment): Condition {
  if (condition.kind === 'or') return { ...condition, parts: condition.parts.map((part) => conceal(part, concealed)) };
  return 'label' in condition ? { ...condition, concealed } : condition;
}

function readLeaf(
  fields: Definition,
  name: string,
  path: string,
  problems: Problems,
  depth: number,
): Condition | undefined {
  if (name === 'GUESTPASS' || name === 'VC') {
    const filter = readTraitFilter(fields.variables._filter, `${path}/variables/_filter`, problems);
    if (filter.filters.length === 0) {
      problems.add(`${path}/variables/_filter`, 'required', 'a guest pass rule must list the passes in its filter.');
    }
    return { kind: 'guest-pass', label: 'GUESTPASS', filter };
  }
  if (name === 'ROLE_COMPOSITION') return readComposition(fields, path, depth, problems);
  return readHolding(fields, name, path, problems);
}

function readHolding(fields: Definition, name: string, path: string, problems: Problems): Condition | undefined {
  const caip = readCaip(fields, path, problems);
  const kind = findKind(name) ?? (name === '' && caip !== undefined ? kindOfCaip(caip) : undefined);
  if (kind === undefined) {
    if (name === '' && caip === undefined && (fields.asset ?? '') !== '') return undefined;
    const what = name === '' && caip !== undefined ? `assets of ${caip.chain}/${caip.namespace}` : `the type "${name}"`;
    const message =
      name === '' && caip === undefined
        ? 'a rule must have a type, a scheme or an asset.'
        : `${what} is unknown. Supported: ${knownKindNames().join(', ')}.`;
    problems.add(`${path}/type`, 'enum', message);
    return undefined;
  }
  const assets = readAssets(fields, kind, caip, path, problems);
  const leaves = assets.map((asset) => readAssetLeaf(fields, kind, asset, path, problems));
  const [first, ...others] = leaves.filter((leaf) => leaf !== undefined);
  return first === undefined || others.length === 0 ? first : { kind: 'or', parts: [first, ...others] };
}

const otherNames: ReadonlySet<string> = new Set(['VC', ...otherKinds.map((name) => name.toUpperCase())]);

// `solana` names the chain; the type next to it names the kind.
const chainSchemes: ReadonlySet<string> = new Set(['SOLANA', 'FLOW', 'TEZOS', 'XRPL', 'SUPERFLUID']);

// A scheme takes precedence over a type: a Safe, a composition or a tree of rules may have any type.
function nameOf({ scheme, type }: Definition): string {
  const [byScheme = '', byType = ''] = [scheme, type].map((word) =>
    typeof word === 'string' ? word.trim().toUpperCase() : '',
  );
  if (byScheme === '' || byType === '') return byScheme || byType;
  const isExact = !chainSchemes.has(byScheme) && (findKind(byScheme) !== undefined || otherNames.has(byScheme));
  return isExact ? byScheme : byType;
}

const actions: readonly RoleComposition['action'][] = ['add', 'remove', 'addOrRemove', 'removeOrAdd'];

/** Parses `variables.roleComposition`. It decides the composition's role, or by default the rule's. */
function readComposition(
  { roleId, variables }: Definition,
  path: string,
  depth: number,
  problems: Problems,
): CompositionLeaf | undefined {
  const place = `${path}/variables/roleComposition`;
  if (depth > 0) {
    problems.add(path, 'scheme', 'a role composition must be a separate rule and cannot be part of a tree.');
    return undefined;
  }
  const value = variables.roleComposition;
  if (!isObject(value)) {
    problems.add(place, 'required', 'a composition must have an action, an operator and a condition.');
    return undefined;
  }
  const action = actions.find((word) => word === value.action);
  if (action === undefined) problems.add(`${place}/action`, 'enum', `the action must be one of ${actions.join(', ')}.`);
  const operator = value.operator === 'or' ? 'or' : 'and';
  if (value.operator !== 'or' && value.operator !== 'and') {
    problems.add(`${place}/operator`, 'enum', 'the operator must be "and" or "or".');
  }
  const target = value.roleId ?? roleId;
  if (typeof target !== 'string' || target === '') {
    problems.add(`${place}/roleId`, 'required', 'a composition must name the role it gives or removes.');
  }
  const condition = readRoles(value.condition, `${place}/condition`, problems);
  if (typeof target === 'string' && target in condition) {
    problems.add(`${place}/condition`, 'cycle', 'a role cannot depend on itself.');
  }
  if (action === undefined || typeof target !== 'string') return undefined;
  return {
    kind: 'composition',
    label: 'role_composition',
    composition: { action, roleId: target, operator, condition },
  };
}

function readRoles(value: unknown, path: string, problems: Problems): Record<string, boolean> {
  const entries = isObject(value) ? Object.entries(value) : [];
  const isFine = entries.length > 0 && entries.length <= 200 && entries.every(([, held]) => typeof held === 'boolean');
  if (!isFine) problems.add(path, 'type', 'a condition must map role ids to true (held) or false (not held).');
  return Object.fromEntries(entries.map(([roleId, held]) => [roleId, held === true]));
}

const maxDepth = 16;
const maxLeaves = 200;

/** How many leaves have been read so far in the whole tree. */
interface LogicCounts {
  leaves: number;
}

type ReadPart = (value: unknown, path: string, depth: number) => Condition | undefined;

/**
 * Parses a tree of rules: `{"and": […]}`, `{"or": […]}`, `{"not": …}`, `{"atLeast": 2, "of": […]}`. Anything else is an
 * ordinary rule, whose roleId is ignored.
 */
function readLogic(
  value: unknown,
  path: string,
  problems: Problems,
  counts: LogicCounts,
  depth: number,
  readLeaf: ReadPart,
): Condition | undefined {
  if (depth >= maxDepth) {
    problems.add(path, 'depth', `rules can be nested at most ${maxDepth} levels deep.`);
    return undefined;
  }
  if (!isObject(value)) {
    problems.add(path, 'required', 'a tree must have "and", "or", "not" or "atLeast" with "of", or be a rule itself.');
    return undefined;
  }
  const operators = ['and', 'or', 'not', 'atLeast'].filter((name) => name in value);
  const [operator] = operators;
  if (operator === undefined) {
    if (counts.leaves === maxLeaves) problems.add(path, 'maxItems', `a tree can contain at most ${maxLeaves} rules.`);
    return counts.leaves >= maxLeaves ? undefined : readLeaf(value, path, depth + 1);
  }
  const others = Object.keys(value).filter((key) => key !== operator && !(operator === 'atLeast' && key === 'of'));
  if (others.length > 0) {
    problems.add(path, 'additionalProperties', `beside "${operator}" there must not be "${others.join('", "')}".`);
    return undefined;
  }
  const readPart: ReadPart = (part, place, level) => readLogic(part, place, problems, counts, level, readLeaf);
  if (operator === 'not') {
    const part = readPart(value.not, `${path}/not`, depth + 1);
    return part && { kind: 'not', part };
  }
  const field = operator === 'atLeast' ? 'of' : operator;
  const parts = readParts(value[field], `${path}/${field}`, depth, problems, readPart);
  if (operator === 'and' || operator === 'or') return { kind: operator, parts };
  const { atLeast: count } = value;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= parts.length) {
    return { kind: 'at-least', count, parts };
  }
  problems.add(`${path}/atLeast`, 'range', 'this must be an integer from 1 to the number of rules in "of".');
  return undefined;
}

function readParts(value: unknown, path: string, depth: number, problems: Problems, readPart: ReadPart): Condition[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxLeaves) {
    problems.add(path, 'minItems', `this must be a list of 1 to ${maxLeaves} rules.`);
    return [];
  }
  return value.flatMap((part, index) => readPart(part, `${path}/${index}`, depth + 1) ?? []);
}

const templates: Readonly<Record<string, 'traits' | 'balance'>> = {
  '$ownsTraits($,$_filter)': 'traits',
  '#ownsTraits': 'traits',
  '$ownsBalance($,$_filter)': 'balance',
  '#ownsBalance': 'balance',
};

/** Parses a rule about one asset: an amount, the owners of a Safe, traits, or a query. */
function readAssetLeaf(
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

// A variable named `sum` would silently change the meaning of $sum in the query.
function refuseReserved({ variables }: Definition, path: string): void {
  const name = findReserved(Object.keys(variables));
  if (name === undefined) return;
  throw new AppError(
    'INVALID_PARAMETER_VALUE',
    `A variable must not be called "${name}": queries have a function of this name. Write it with a "_" in front.`,
    { details: [{ path: `${path}/variables/${name}`, code: 'reserved', message: 'is the name of a function' }] },
  );
}

const maxHeldForSeconds = 10 * 366 * 24 * 60 * 60;

/** Parses how holdings are read: `_sumWallets`, `_heldForSeconds`, `_atBlock`, `_delegation`. */
function readReading({ variables }: Definition, asset: Asset, path: string, problems: Problems): Reading {
  const at = (name: string) => `${path}/variables/${name}`;
  const { _heldForSeconds: heldFor, _atBlock: block } = variables;
  const isDuration = Number.isInteger(heldFor) && Number(heldFor) > 0 && Number(heldFor) <= maxHeldForSeconds;
  if (heldFor !== undefined && !isDuration) {
    problems.add(at('_heldForSeconds'), 'range', 'this must be an integer number of seconds, up to ten years.');
  }
  const isBlock = /^\d{1,18}$/.test(String(block));
  if (block !== undefined && !isBlock) problems.add(at('_atBlock'), 'pattern', 'a block must be an integer.');
  if (block !== undefined && heldFor !== undefined) {
    problems.add(at('_atBlock'), 'conflict', 'a rule can use either a block or a holding period, not both.');
  }
  const delegation = readFlag(variables._delegation, at('_delegation'), problems);
  if (delegation && !asset.chain.startsWith('evm:')) {
    problems.add(at('_delegation'), 'chain', 'wallets can be delegated on EVM chains only.');
  }
  return {
    sumWallets: readFlag(variables._sumWallets, at('_sumWallets'), problems),
    delegation,
    ...(isDuration && { heldForSeconds: Number(heldFor) }),
    ...(isBlock && { atBlock: BigInt(String(block)).toString() }),
  };
}

/** Parses `_owners`: `first`, `any` (the default) or `{atLeast: m}`. */
function readOwners({ variables }: Definition, path: string, problems: Problems): SafeLeaf['owners'] {
  const { _owners: owners = 'any' } = variables;
  if (owners === 'first') return 'first';
  if (owners === 'any') return 1;
  const count = isObject(owners) ? owners.atLeast : undefined;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= 50) return count;
  problems.add(
    `${path}/variables/_owners`,
    'enum',
    'owners must be "first", "any" or {"atLeast": m} with m from 1 to 50.',
  );
  return 1;
}

function readFlag(value: unknown, path: string, problems: Problems): boolean {
  if (value !== undefined && typeof value !== 'boolean') problems.add(path, 'type', 'this must be true or false.');
  return value === true;
}
