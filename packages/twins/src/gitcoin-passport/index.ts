export { type PassportState, type PassportTwin, startPassportTwin } from './gitcoin-passport.ts';
