export { type NiftyState, type NiftyTwin, startNiftyTwin } from './nifty-gateway.ts';
