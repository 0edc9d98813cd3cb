export { chatAccountsFeature } from './feature.ts';
