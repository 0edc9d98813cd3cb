export { type AppCall, linesPerMinute } from './call.ts';
export { appCallsFeature } from './feature.ts';
export { type CallBatch, writeCalls } from './write-calls.ts';
