import { isObject } from '../../is-object.ts';
import type { RuleField } from './rule-facts.ts';

/** Something wrong, and where: `/rules/0/tokenId`, as the API names it. */
export interface Problem {
  path: string;
  message: string;
}

export interface Reading {
  problems: Problem[];
  /** Harmless things that may not be intended. */
  notes: Problem[];
  /** What each rule requires, in words. */
  meanings: string[];
}

/** The server's own reader, which is loaded when there is something to read. */
export type ReadRule = (rule: unknown, path: string) => { problems: Problem[]; meaning: string | undefined };

/** Checks one rule, a list of rules or the body of a request with rules: syntax, schema, and the server's own reader. */
export function checkRules(text: string, fields: Readonly<Record<string, RuleField>>, readRule: ReadRule): Reading {
  const reading: Reading = { problems: [], notes: [], meanings: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read.';
    return { ...reading, problems: [{ path: '', message: `This is not JSON: ${reason}` }] };
  }
  for (const { rule, path } of rulesIn(value)) {
    const found = checkSchema(rule, path, fields);
    reading.notes.push(...found.notes);
    if (found.problems.length > 0) {
      reading.problems.push(...found.problems);
      continue;
    }
    const { problems, meaning } = readRule(rule, path);
    reading.problems.push(...problems);
    if (meaning !== undefined) reading.meanings.push(meaning);
  }
  return reading;
}

function rulesIn(value: unknown): { rule: unknown; path: string }[] {
  const list = isObject(value) && Array.isArray(value.rules) ? value.rules : value;
  return Array.isArray(list)
    ? list.map((rule, index) => ({ rule, path: `/rules/${index}` }))
    : [{ rule: list, path: '' }];
}

/** The schema that the API publishes for a rule. */
function checkSchema(rule: unknown, path: string, fields: Readonly<Record<string, RuleField>>) {
  const problems: Problem[] = [];
  const notes: Problem[] = [];
  if (!isObject(rule)) return { problems: [{ path, message: 'A rule is an object, in braces.' }], notes };
  for (const [name, value] of Object.entries(rule)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const place = `${path}/${name}`;
    if (field === undefined) notes.push({ path: place, message: 'Rules have no such field; the server drops it.' });
    else if (!field.types.some((type) => isOfType(value, type)))
      problems.push({ path: place, message: wrongType(value, field.types) });
    else if (typeof value === 'string' && field.maxLength !== undefined && value.length > field.maxLength)
      problems.push({ path: place, message: `This is longer than ${field.maxLength} characters.` });
  }
  return { problems, notes };
}

function isOfType(value: unknown, type: string): boolean {
  return type === 'object' ? isObject(value) : typeof value === type;
}

function wrongType(value: unknown, types: readonly string[]): string {
  if (types.includes('string') && typeof value === 'number')
    return `This is a text: write "${value}" with quotation marks.`;
  if (types.includes('number') && typeof value === 'string')
    return 'This is a number: write it without quotation marks.';
  const names: Readonly<Record<string, string>> = { string: 'a text', number: 'a number', boolean: 'true or false' };
  return `This is ${types.map((type) => names[type] ?? 'an object').join(' or ')}.`;
}
