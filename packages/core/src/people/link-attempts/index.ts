export { attemptTtlSeconds, beginAttempt, challengeOf, LinkAttempt, takeAttempt } from './attempt.ts';
export { exchangeCode, returnedFrom } from './exchange-code.ts';
export { linkAttemptsFeature } from './feature.ts';
