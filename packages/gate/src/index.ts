export { createGate, type Gate, GateError, type GateOptions, type Rule, type Visitor } from './gate.ts';
export { describeHolder, type GuardOptions, guard, type HolderState, type Outcome, type Refusal } from './guard.ts';
export type { Need, Verdict } from './verdict.ts';
