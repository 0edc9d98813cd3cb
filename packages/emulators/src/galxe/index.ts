export { type GalxeEmulator, type GalxeState, startGalxeEmulator } from './galxe.ts';
