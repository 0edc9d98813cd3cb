export { answerPings } from './answer.ts';
export { pings } from './operations.ts';
