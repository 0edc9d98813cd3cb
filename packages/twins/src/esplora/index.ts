export { type EsploraOutput, type EsploraState, type EsploraTwin, startEsploraTwin } from './esplora.ts';
