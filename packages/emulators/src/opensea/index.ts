export { type OpenSeaEmulator, type OpenSeaState, startOpenSeaEmulator } from './opensea.ts';
