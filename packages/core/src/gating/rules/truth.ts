/** The result of a rule. `unknown` is neither true nor false: something could not be read, so it decides nothing. */
export type Truth = 'true' | 'false' | 'unknown';

export function truthOf(value: boolean): Truth {
  return value ? 'true' : 'false';
}

export function not(truth: Truth): Truth {
  return truth === 'unknown' ? 'unknown' : truthOf(truth === 'false');
}

/** False if any is false, otherwise unknown if any is unknown. */
export function allOf(truths: readonly Truth[]): Truth {
  return atLeastOf(truths.length, truths);
}

export function anyOf(truths: readonly Truth[]): Truth {
  return atLeastOf(1, truths);
}

/** Whether at least `count` of them are true. Unknown ones decide nothing, unless the others settle the result. */
export function atLeastOf(count: number, truths: readonly Truth[]): Truth {
  const sure = truths.filter((truth) => truth === 'true').length;
  const possible = sure + truths.filter((truth) => truth === 'unknown').length;
  if (sure >= count) return 'true';
  return possible < count ? 'false' : 'unknown';
}
