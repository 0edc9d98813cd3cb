import { isObject } from '@latchkey/kernel';

type Refuse = (message: string, position?: number) => never;

/**
 * Functions that take a picture string, always or optionally: JSONata builds regular expressions and endless loops from
 * one.
 */
export const pictureFunctions = ['formatNumber', 'formatInteger', 'parseInteger'] as const;
export const timeFunctions = ['toMillis', 'fromMillis'] as const;

export const noPicture = 'Queries cannot use picture strings';

/**
 * Refuses expressions that can run forever inside one step of a query, where no limit applies. A function hidden behind
 * an alias is refused when it runs.
 */
export function refuseForms(ast: unknown, refuse: Refuse): void {
  const seen = new Set<unknown>();
  const visit = (node: unknown, appliedTo: number): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (Array.isArray(node)) for (const part of node) visit(part, 0);
    if (!isObject(node)) return;
    const problem = problemOf(node, appliedTo);
    if (problem !== undefined) refuse(problem, typeof node.position === 'number' ? node.position : undefined);
    for (const [name, part] of Object.entries(node)) visit(part, node.type === 'apply' && name === 'rhs' ? 1 : 0);
  };
  visit(ast, 0);
}

// `x ~> $f(y)` passes two values to $f.
function problemOf(node: Record<string, unknown>, appliedTo: number): string | undefined {
  if (node.type === 'regex') return 'Queries cannot use regular expressions; compare with = or $contains.';
  if (node.type === 'lambda' && node.signature !== undefined)
    return 'Functions in queries cannot have a signature in <…>.';
  if (node.type === 'variable' && isOneOf(pictureFunctions, node.value))
    return `${noPicture}: leave out $${node.value}.`;
  const { procedure, arguments: given } = node;
  if (!isObject(procedure) || procedure.type !== 'variable' || !Array.isArray(given)) return undefined;
  if (!isOneOf(timeFunctions, procedure.value) || given.length + appliedTo < 2) return undefined;
  return `${noPicture}: $${procedure.value} takes one value.`;
}

function isOneOf<Name extends string>(names: readonly Name[], value: unknown): value is Name {
  return names.some((name) => name === value);
}
