export { type GalxeState, type GalxeTwin, startGalxeTwin } from './galxe.ts';
