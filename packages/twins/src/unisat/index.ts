export { startUnisatTwin, type UnisatBalance, type UnisatState, type UnisatTwin } from './unisat.ts';
