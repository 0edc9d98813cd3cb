import { isObject } from '@latchkey/kernel';

/**
 * Returns the paths where two responses of one operation have different types; lists may be empty and fields may be
 * absent in either, since that depends on the data at the time.
 */
export function kindsThatDiffer(one: unknown, other: unknown, path = ''): string[] {
  if (one === null || other === null) return [];
  if (Array.isArray(one) && Array.isArray(other))
    return one.length > 0 && other.length > 0 ? kindsThatDiffer(one[0], other[0], `${path}[]`) : [];
  if (isObject(one) && isObject(other)) {
    const common = Object.keys(one).filter((name) => name in other);
    return common.flatMap((name) => kindsThatDiffer(one[name], other[name], `${path}.${name}`));
  }
  return kindOf(one) === kindOf(other) ? [] : [`${path}: ${kindOf(one)}, now ${kindOf(other)}`];
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
