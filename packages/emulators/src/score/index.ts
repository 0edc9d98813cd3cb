export { type ScoreEmulator, type ScoreState, startScoreEmulator } from './score.ts';
