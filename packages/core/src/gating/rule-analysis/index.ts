export {
  type Answer,
  compareRules,
  type Finding,
  findProblems,
  proveRequired,
  type RoleComparison,
} from './analyze.ts';
export { effectInWords, problemInWords } from './in-words.ts';
export type { Example } from './replay.ts';
