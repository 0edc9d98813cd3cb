import { readRule } from '@latchkey/core/facts';
import type { Operation } from '@latchkey/kernel';
import { contractProblems, findOperation } from './contracts.ts';
import { type Problem, problemAt, type Sample } from './read-samples.ts';

/** Holds a JSON sample to the operation that its `schema` names. */
export function checkJson(sample: Sample): Problem[] {
  let value: unknown;
  try {
    value = JSON.parse(sample.text);
  } catch (error) {
    return [problemAt(sample, `is no JSON: ${error instanceof Error ? error.message : error}`)];
  }
  if (sample.schema === undefined) return [];
  const [, method, path, part] = /^([A-Z]+) (\/\S*) (body|answer)$/.exec(sample.schema) ?? [];
  const operation = findOperation(method ?? '', path ?? '');
  if (operation === undefined || operation.path !== path || (part !== 'body' && part !== 'answer'))
    return [problemAt(sample, `schema="${sample.schema}" names no operation with "body" or "answer" behind it`)];
  return valueProblems(operation, part, value).map((text) => problemAt(sample, text));
}

/** What is wrong with a value by the schema of its operation and, where it has rules, by what the rules engine reads. */
export function valueProblems(operation: Operation, part: 'body' | 'answer', value: unknown): string[] {
  const problems = contractProblems(operation, part, value);
  return problems.length > 0 || part === 'answer' ? problems : rulesIn(operation, value).flatMap(ruleProblems);
}

function rulesIn({ path }: Operation, body: unknown): unknown[] {
  if (/^\/communities\/\{id\}\/tpcs/.test(path)) return [body];
  return path === '/access-control/check-roles' ? Object(body).rules : [];
}

function ruleProblems(rule: unknown): string[] {
  try {
    readRule(rule);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
