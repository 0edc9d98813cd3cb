import { isObject } from './is-object.ts';
import type { Problems } from './problems.ts';
import type { Condition } from './rule.ts';

export const maxDepth = 16;
export const maxLeaves = 200;

/** How many leaves were read so far, in the whole tree. */
export interface LogicCounts {
  leaves: number;
}

type ReadPart = (value: unknown, path: string, depth: number) => Condition | undefined;

/**
 * Reads a tree of rules: `{"and": […]}`, `{"or": […]}`, `{"not": …}`, `{"atLeast": 2, "of": […]}`, and anything else is
 * an ordinary rule, whose roleId is of no interest.
 */
export function readLogic(
  value: unknown,
  path: string,
  problems: Problems,
  counts: LogicCounts,
  depth: number,
  readLeaf: ReadPart,
): Condition | undefined {
  if (depth >= maxDepth) {
    problems.add(path, 'depth', `rules are nested at most ${maxDepth} deep.`);
    return undefined;
  }
  if (!isObject(value)) {
    problems.add(path, 'required', 'a tree has "and", "or", "not" or "atLeast" with "of", or is a rule itself.');
    return undefined;
  }
  const operators = ['and', 'or', 'not', 'atLeast'].filter((name) => name in value);
  const [operator] = operators;
  if (operator === undefined) {
    if (counts.leaves === maxLeaves) problems.add(path, 'maxItems', `a tree has at most ${maxLeaves} rules in it.`);
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
  problems.add(`${path}/atLeast`, 'range', 'this is a whole number from 1 to the number of rules in "of".');
  return undefined;
}

function readParts(value: unknown, path: string, depth: number, problems: Problems, readPart: ReadPart): Condition[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxLeaves) {
    problems.add(path, 'minItems', `this is a list of 1 to ${maxLeaves} rules.`);
    return [];
  }
  return value.flatMap((part, index) => readPart(part, `${path}/${index}`, depth + 1) ?? []);
}
