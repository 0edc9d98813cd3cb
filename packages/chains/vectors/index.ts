export {
  mutateBase58,
  mutateBase64,
  mutateBytes,
  
  mutateHex,
  mutateText,
  respell,
  type SeededRandom,
  seededRandom,
} from './mutate.ts';
export { readVectors, type Vector } from './read-vectors.ts';
export { describeCounts, type RefusalRun, refuseMutations, type Spoil, type Verdict } from './refuse-mutations.ts';
