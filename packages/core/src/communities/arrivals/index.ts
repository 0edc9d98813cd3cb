export { arrivalsFeature } from './feature.ts';
export { forgetArrival, type NewArrival, noteArrival } from './note-arrival.ts';
