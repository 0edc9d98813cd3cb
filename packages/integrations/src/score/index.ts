export { createScoreHoldings, type ScoreHoldingsOptions } from './create-score-holdings.ts';
