export { arrivalsFeature } from './feature.ts';
export { forgetArrival, noteArrival } from './note-arrival.ts';
