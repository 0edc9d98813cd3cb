export { ethereumNftsFeature } from './feature.ts';
