import { AppError, type ErrorDetail } from '@latchkey/kernel';

/** Collects the problems of a rule, so that a person sees all of them at once. */
export interface Problems {
  add(path: string, code: string, message: string): void;
  /** Throws if any problem was added. */
  throwIfAny(): void;
  /** How many more characters of queries the rule may have. */
  queryRoom: number;
  /** Whether the queries were already validated when the rule was saved. */
  readonly trustsQueries: boolean;
}

export const maxQueryTextInRule = 8_192;

export function collectProblems({ trustsQueries = false } = {}): Problems {
  const details: ErrorDetail[] = [];
  return {
    queryRoom: maxQueryTextInRule,
    trustsQueries,
    add: (path, code, message) => void details.push({ path, code, message }),
    throwIfAny: () => {
      const [first] = details;
      if (first === undefined) return;
      const place = first.path === '' ? 'The rule' : `The rule at ${first.path}`;
      const others = details.length - 1;
      const more = others === 0 ? '' : ` ${others === 1 ? 'One more fault is' : `${others} more faults are`} in it.`;
      throw new AppError('VALIDATION_FAILED', `${place} cannot be used: ${first.message}${more}`, { details });
    },
  };
}
