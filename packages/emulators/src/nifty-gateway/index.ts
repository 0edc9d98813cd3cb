export { type NiftyEmulator, type NiftyState, startNiftyEmulator } from './nifty-gateway.ts';
