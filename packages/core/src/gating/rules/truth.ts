/** What a rule comes to. `unknown` is neither: something could not be read, and it decides nothing. */
export type Truth = 'true' | 'false' | 'unknown';

export function truthOf(value: boolean): Truth {
  return value ? 'true' : 'false';
}

export function not(truth: Truth): Truth {
  return truth === 'unknown' ? 'unknown' : truthOf(truth === 'false');
}

/** False as soon as one is false, unknown as long as one is unknown. */
export function allOf(truths: readonly Truth[]): Truth {
  return atLeastOf(truths.length, truths);
}

export function anyOf(truths: readonly Truth[]): Truth {
  return atLeastOf(1, truths);
}

/** Whether so many of them are true. What is unknown decides nothing, unless the others leave no other way. */
export function atLeastOf(count: number, truths: readonly Truth[]): Truth {
  const sure = truths.filter((truth) => truth === 'true').length;
  const possible = sure + truths.filter((truth) => truth === 'unknown').length;
  if (sure >= count) return 'true';
  return possible < count ? 'false' : 'unknown';
}
