export { adminNoticesFeature } from './feature.ts';
export { selectSetupCheckTime, selectSetupProblems } from './setup-problems.ts';
