export { kudosFeature } from './feature.ts';
export { giveKudos, type NewKudos } from './give.ts';
export { didDocument, issuerDid } from './issuer.ts';
export { offeredKinds } from './kudos.ts';
export { checkUserReceivedOrSentKudos } from './reads.ts';
