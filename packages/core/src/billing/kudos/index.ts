import { defineModule } from '../../shared/module.ts';
import { kudos } from './operations.ts';
import { kudosErasure } from './queries.ts';

export { didDocument, giveKudos, issuerDid, type NewKudos } from './give.ts';
export { offeredKinds } from './kudos.ts';
export { checkUserReceivedOrSentKudos } from './operations.ts';

export const kudosModule = defineModule('kudos', { resources: [kudos], erasures: [kudosErasure], tables: ['kudos'] });
