/** The parts of a rule that decide which existing rule it is. */
export interface Identified {
  id?: string | undefined;
  name: string | undefined;
  roleId: string;
  /** Equal for equal rules. */
  sign: string;
}

/**
 * Finds the existing rule that each wanted rule means, at the same index; undefined for a new one. A rule is edited rather than
 * deleted and added again, so its history and its id stay. In this order: the same id, equal rules, a name that occurs once on
 * both sides, and the only ones of their role that are left on both sides.
 */
export function matchRules<Existing extends Identified>(
  existing: readonly Existing[],
  wanted: readonly Identified[],
): (Existing | undefined)[] {
  const found: (Existing | undefined)[] = wanted.map(() => undefined);
  const left = new Set(existing);
  const take = (index: number, one: Existing | undefined) => {
    if (one === undefined) return;
    found[index] = one;
    left.delete(one);
  };
  const byId = new Map(existing.map((one) => [one.id, one]));
  for (const [index, { id }] of wanted.entries()) {
    const one = id === undefined ? undefined : byId.get(id);
    if (one !== undefined && left.has(one)) take(index, one);
  }
  const equal = Map.groupBy(left, ({ sign }) => sign);
  for (const [index, { sign }] of wanted.entries())
    if (found[index] === undefined) take(index, equal.get(sign)?.shift());
  for (const keyOf of [nameOf, ({ roleId }: Identified) => roleId]) {
    const open = wanted.flatMap((rule, index) => (found[index] === undefined ? [{ rule, index }] : []));
    const theirs = Map.groupBy(open, ({ rule }) => keyOf(rule));
    const ours = Map.groupBy(left, keyOf);
    for (const [key, [only, ...others]] of theirs) {
      const [one, ...more] = (key !== undefined && ours.get(key)) || [];
      if (only !== undefined && others.length === 0 && more.length === 0) take(only.index, one);
    }
  }
  return found;
}

function nameOf({ name }: Identified): string | undefined {
  return name === '' ? undefined : name;
}
