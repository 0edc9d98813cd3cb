export { type ScoreState, type ScoreTwin, startScoreTwin } from './score.ts';
