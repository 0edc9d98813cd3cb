export { type SubstrateBlock, type SubstrateTwin, type SubstrateTwinOptions, startSubstrateTwin } from './start.ts';
