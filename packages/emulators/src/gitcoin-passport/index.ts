export { type PassportEmulator, type PassportState, startPassportEmulator } from './gitcoin-passport.ts';
