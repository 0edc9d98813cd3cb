export { type OrdInscription, type OrdState, type OrdTwin, startOrdTwin } from './ord.ts';
