export { helloActionFeature } from './feature.ts';
