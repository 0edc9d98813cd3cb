import { atCharacter } from './at-character.ts';
import { maxQueryTextInRule, type Problems } from './problems.ts';
import { type Query, QueryMalformed, readQuery } from './queries/read-query.ts';

/**
 * Reads a query of a rule. Reading takes this thread's time, so a rule has room for so much, and what was read when the
 * rule was saved is not read again: if it cannot be used after all, it fails where it is run.
 */
export function readQueryInRule(text: string, path: string, problems: Problems): Query | undefined {
  if (problems.trustsQueries) return { text };
  problems.queryRoom -= text.length;
  if (problems.queryRoom < 0) {
    problems.add(
      path,
      'maxLength',
      `all queries in a rule can have at most ${maxQueryTextInRule} characters in total.`,
    );
    return undefined;
  }
  try {
    return readQuery(text);
  } catch (error) {
    if (!(error instanceof QueryMalformed)) throw error;
    const { message, position } = error;
    problems.add(path, 'query', position === undefined ? message : atCharacter(message, position));
    return undefined;
  }
}
