export { proveRequired, type Requirement } from './assertions.ts';
export { compareRules, type Direction, directionOf, type RoleComparison } from './compare.ts';
export { analyzeRules, type Finding, findContradiction, findProblems } from './find-problems.ts';
export {
  effectInWords,
  exampleInWords,
  type Names,
  problemInWords,
  whyUnproven,
} from './in-words.ts';
export type { AnalysisOptions, Answer, Size } from './prove.ts';
export type { Example } from './replay.ts';
export { shareEffort } from './share-effort.ts';
