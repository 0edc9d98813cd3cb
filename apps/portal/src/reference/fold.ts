import type { Field } from '../../reference/fields.ts';

/** Returns the path of each field: `rules.minToken`. */
export function pathsOf(fields: readonly Pick<Field, 'name' | 'depth'>[]): string[] {
  const above: string[] = [];
  return fields.map(({ name, depth }) => {
    above.length = depth;
    above.push(name);
    return above.join('.');
  });
}

/** Returns how many fields are directly below each one. */
export function countInside(fields: readonly Pick<Field, 'depth'>[]): number[] {
  return fields.map(({ depth }, index) => {
    const rest = fields.slice(index + 1);
    const end = rest.findIndex((other) => other.depth <= depth);
    return rest.slice(0, end < 0 ? undefined : end).filter((other) => other.depth === depth + 1).length;
  });
}

/** Whether a field is hidden because one of its parents is folded. */
export function isFolded(path: string, unfolded: ReadonlySet<string>): boolean {
  const names = path.split('.');
  return names.slice(1).some((_, index) => !unfolded.has(names.slice(0, index + 1).join('.')));
}

/** Returns everything that has to be unfolded for a field to be visible. */
export function parentsOf(path: string): string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
