export { attemptTtlSeconds, beginAttempt, LinkAttempt, takeAttempt } from './attempt.ts';
export { linkAttemptsFeature } from './feature.ts';
