export { kudosErasure } from './forget.ts';
export { giveKudos, type NewKudos } from './give.ts';
export { didDocument, issuerDid } from './issuer.ts';
export { offeredKinds, toKudos } from './kudos.ts';
export { kudos } from './operations.ts';
export { checkUserReceivedOrSentKudos } from './reads.ts';
