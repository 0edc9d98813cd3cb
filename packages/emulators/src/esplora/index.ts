export { type EsploraEmulator, type EsploraOutput, type EsploraState, startEsploraEmulator } from './esplora.ts';
