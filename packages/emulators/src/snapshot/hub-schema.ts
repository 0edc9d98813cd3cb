import type { Selection } from './parse-query.ts';

/** The fields that the hub knows of each type, and the type of those that have fields themselves. */
const types: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  Query: { space: 'Space', spaces: 'Space', proposal: 'Proposal', proposals: 'Proposal' },
  Space: scalars('id', 'name', 'about', 'avatar', 'network', 'symbol', 'website', 'admins', 'members', 'verified'),
  Proposal: {
    ...scalars('id', 'ipfs', 'author', 'created', 'network', 'type', 'title', 'body', 'choices', 'start', 'end'),
    ...scalars('snapshot', 'state', 'link', 'scores', 'scores_total', 'votes', 'quorum', 'flagged'),
    space: 'Space',
  },
};

const args: Readonly<Record<string, readonly string[]>> = {
  space: ['id'],
  proposal: ['id'],
  spaces: ['first', 'skip', 'where', 'orderBy', 'orderDirection'],
  proposals: ['first', 'skip', 'where', 'orderBy', 'orderDirection'],
};

function scalars(...names: string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** What is wrong with a query by the hub's schema, in the words of GraphQL; undefined when nothing is. */
export function findProblem(selections: readonly Selection[], type = 'Query'): string | undefined {
  const known = types[type] ?? {};
  for (const { name, args: given, fields } of selections) {
    if (name === '__typename') continue;
    if (!Object.hasOwn(known, name)) return `Cannot query field "${name}" on type "${type}".`;
    const inner = known[name];
    if (inner === undefined && fields.length > 0) return `Field "${name}" must not have a selection.`;
    if (inner !== undefined && fields.length === 0) return `Field "${name}" of type "${inner}" must have a selection.`;
    const allowed = type === 'Query' ? (args[name] ?? []) : [];
    const strange = Object.keys(given).find((arg) => !allowed.includes(arg));
    if (strange !== undefined) return `Unknown argument "${strange}" on field "${type}.${name}".`;
    const problem = inner === undefined ? undefined : findProblem(fields, inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Only what was asked for of an object; what it lacks is null. */
export function pick(value: unknown, selections: readonly Selection[], type: string): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => pick(item, selections, type));
  const known = types[type] ?? {};
  return Object.fromEntries(
    selections.map(({ name, alias, fields }) => {
      if (name === '__typename') return [alias, type];
      const inner = known[name];
      const field = Object(value)[name] ?? null;
      return [alias, inner === undefined ? field : pick(field, fields, inner)];
    }),
  );
}
