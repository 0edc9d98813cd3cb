export { createLiveStreams, eventHeaders, type LiveStreams } from './streams.ts';
