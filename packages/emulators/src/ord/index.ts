export { type OrdEmulator, type OrdInscription, type OrdState, startOrdEmulator } from './ord.ts';
