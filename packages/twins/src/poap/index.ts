export { type PoapState, type PoapTwin, startPoapTwin } from './poap.ts';
