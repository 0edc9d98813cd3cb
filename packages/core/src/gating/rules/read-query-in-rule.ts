import { atCharacter } from './at-character.ts';
import { maxQueryTextInRule, type Problems } from './problems.ts';
import { type Query, QueryMalformed, readQuery } from './queries/read-query.ts';

/**
 * Parses a query of a rule. Parsing blocks this thread, so the total length per rule is limited, and queries that were
 * parsed when the rule was saved are not parsed again: if one is invalid after all, it fails when it runs.
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
