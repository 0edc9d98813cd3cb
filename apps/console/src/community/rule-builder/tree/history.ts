/** What was there, what is, and what was undone. */
export interface History<State> {
  past: readonly State[];
  present: State;
  future: readonly State[];
}

const mostSteps = 200;

export function begin<State>(present: State): History<State> {
  return { past: [], present, future: [] };
}

/** A new state. Small changes of one field follow each other as one step. */
export function advance<State>(history: History<State>, present: State, { joins = false } = {}): History<State> {
  if (present === history.present) return history;
  const past = joins && history.past.length > 0 ? history.past : [...history.past, history.present].slice(-mostSteps);
  return { past, present, future: [] };
}

export function undo<State>(history: History<State>): History<State> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return { past: history.past.slice(0, -1), present: before, future: [history.present, ...history.future] };
}

export function redo<State>({ past, present, future }: History<State>): History<State> {
  const [next, ...later] = future;
  return next === undefined ? { past, present, future } : { past: [...past, present], present: next, future: later };
}
