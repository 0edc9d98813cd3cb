import { type FoundRule, isObject, nameOf, textOf } from './found-rule.ts';
import { readFields } from './read-fields.ts';

/**
 * Reads rules as `GET /communities/{id}/tpcs` of the published API has them: a page, a list, or a community that includes
 * its rules. Undefined for what is none of these.
 */
export function readOriginal(value: unknown): FoundRule[] | undefined {
  const items = listIn(value);
  return items?.map((item, index) => readOne(item, index));
}

function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const list = value.items ?? value.tpcs ?? value.rules;
  return Array.isArray(list) ? list : undefined;
}

function readOne(item: unknown, index: number): FoundRule {
  const fallback = `Rule ${index + 1}`;
  if (!isObject(item))
    return { key: fallback, name: fallback, role: {}, notes: [], problem: 'This is not a rule of the original.' };
  const id = textOf(item.id) ?? textOf(item.sk);
  const found = {
    key: id ?? JSON.stringify(item),
    name: nameOf(item.name, id ?? fallback),
    role: { id: roleOf(item), name: textOf(item.roleName) },
    notes: [],
  };
  const kind = `${textOf(item.type) ?? ''} ${textOf(item.scheme) ?? ''}`.toUpperCase();
  // Guest passes have ids of their own on every server, so the filter would name passes that nobody has here.
  if (/\b(GUESTPASS|VC)\b/.test(kind))
    return {
      ...found,
      problem: 'Guest passes stay with the service that gave them. Create a guest pass here instead.',
    };
  const { rule, problem } = readFields(item);
  if (rule === undefined) return { ...found, ...(problem !== undefined && { problem }) };
  return { ...found, rule: { ...rule, name: found.name } };
}

function roleOf(item: Record<string, unknown>): string | undefined {
  const composition = isObject(item.variables) ? item.variables.roleComposition : undefined;
  return textOf(item.roleId) ?? (isObject(composition) ? textOf(composition.roleId) : undefined);
}
