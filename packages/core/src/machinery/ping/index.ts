export { answerPings } from './answer.ts';
export { pingFeature } from './feature.ts';
