export { startUnisatEmulator, type UnisatBalance, type UnisatEmulator, type UnisatState } from './unisat.ts';
