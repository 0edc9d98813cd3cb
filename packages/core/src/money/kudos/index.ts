export { kudosFeature } from './feature.ts';
export { giveKudos, type NewKudos } from './give.ts';
export { didDocument, issuerDid } from './issuer.ts';
export { offeredKinds, toKudos } from './kudos.ts';
export { checkUserReceivedOrSentKudos } from './reads.ts';
