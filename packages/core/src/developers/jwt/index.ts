export { jwtFeature } from './feature.ts';
