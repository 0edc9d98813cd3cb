export { type MatrixEmulator, type MatrixOptions, startMatrixEmulator, synapseRates } from './start.ts';
