import { feature } from '../../shared/feature.ts';
import { kudosErasure } from './forget.ts';
import { kudos } from './operations.ts';

export { didDocument, giveKudos, issuerDid, type NewKudos } from './give.ts';
export { offeredKinds } from './kudos.ts';
export { checkUserReceivedOrSentKudos } from './operations.ts';

export const kudosFeature = feature('kudos', { resources: [kudos], erasures: [kudosErasure], tables: ['kudos'] });
