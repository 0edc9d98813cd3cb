export { type OpenSeaState, type OpenSeaTwin, startOpenSeaTwin } from './opensea.ts';
