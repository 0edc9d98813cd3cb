import { type Definition, readDefinition } from './definition.ts';
import { findKind, knownKindNames, otherKinds } from './kinds.ts';
import { collectProblems, type Problems } from './problems.ts';
import { kindOfCaip, readAssets, readCaip } from './read-asset.ts';
import { readComposition } from './read-composition.ts';
import { readTraitFilter } from './read-filter.ts';
import { readAssetLeaf } from './read-leaf.ts';
import { type LogicCounts, readLogic } from './read-logic.ts';
import type { Concealment, Condition, Rule } from './rule.ts';

export const defaultRoleId = '001';

/**
 * Reads a rule as the API carries it: flat (1.0.0), or with a JSONata query (2.0.0 and 2.1.0), or `scheme: "logic"` with
 * a tree of rules. Throws VALIDATION_FAILED, with a detail for each fault, and INVALID_PARAMETER_VALUE for variables
 * that would take the name of a function.
 */
export function readRule(definition: unknown, path = ''): Rule {
  return read(definition, path, collectProblems());
}

/** Reads a rule that was read before it was saved. */
export function readSavedRule(definition: unknown): Rule {
  return read(definition, '', collectProblems({ trustsQueries: true }));
}

function read(definition: unknown, path: string, problems: Problems): Rule {
  const fields = readDefinition(definition, path, problems);
  const condition = fields && readCondition(fields, path, problems, { leaves: 0 }, 0);
  const { id, roleId = defaultRoleId } = fields ?? {};
  if (typeof roleId !== 'string' || roleId.length > 256) {
    problems.add(`${path}/roleId`, 'type', 'a roleId is a text of up to 256 characters.');
  }
  problems.throwIfAny();
  if (condition === undefined) throw new Error('A rule without faults has a condition.');
  return { ...(typeof id === 'string' && id !== '' && { id }), roleId: String(roleId), condition };
}

/** Reads what a rule demands. Inside a logic tree every leaf comes through here too. */
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

/** A condition of a tree says itself how much members are shown of it. */
function readConcealment({ visibility }: Definition, path: string, problems: Problems): Concealment | undefined {
  if (visibility === 'secret' || visibility === 'hidden') return visibility;
  if (visibility !== undefined && visibility !== 'public')
    problems.add(`${path}/visibility`, 'enum', 'the visibility of a condition is public, secret or hidden.');
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
      problems.add(`${path}/variables/_filter`, 'required', 'a rule over guest passes names them in its filter.');
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
        ? 'a rule has a type, a scheme or an asset.'
        : `${what} is not known. Known are: ${knownKindNames().join(', ')}.`;
    problems.add(`${path}/type`, 'enum', message);
    return undefined;
  }
  const assets = readAssets(fields, kind, caip, path, problems);
  const leaves = assets.map((asset) => readAssetLeaf(fields, kind, asset, path, problems));
  const [first, ...others] = leaves.filter((leaf) => leaf !== undefined);
  return first === undefined || others.length === 0 ? first : { kind: 'or', parts: [first, ...others] };
}

const otherNames: ReadonlySet<string> = new Set(['VC', ...otherKinds.map((name) => name.toUpperCase())]);

// `solana` says where, the type beside it says what.
const chainSchemes: ReadonlySet<string> = new Set(['SOLANA', 'FLOW', 'TEZOS', 'XRPL', 'SUPERFLUID']);

// A scheme says more than a type: a Safe, a composition or a tree of rules may carry any type.
function nameOf({ scheme, type }: Definition): string {
  const [byScheme = '', byType = ''] = [scheme, type].map((word) =>
    typeof word === 'string' ? word.trim().toUpperCase() : '',
  );
  if (byScheme === '' || byType === '') return byScheme || byType;
  const isExact = !chainSchemes.has(byScheme) && (findKind(byScheme) !== undefined || otherNames.has(byScheme));
  return isExact ? byScheme : byType;
}
