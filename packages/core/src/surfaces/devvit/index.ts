import { defineModule, type Erasure, type SealedColumn } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { devvitOperations } from './operations.ts';
import { forgetInDevvit } from './queries.ts';
import { secretPlace, signingKeyPlace } from './words.ts';

export { createDevvitDesk } from './desk.ts';
export { getDevvitApp } from './operations.ts';

/** What an app reported about a person is needed until the roles that depend on it are removed. */
const devvitErasure: Erasure = {
  columns: [
    'devvit_apps.paired_by',
    'devvit_members.member_key',
    'devvit_members.user_name',
    'devvit_orders.member_key',
    'devvit_orders.user_name',
  ],
  stage: 'once-settled',
  forget: (_ctx, tx, { userId }) => forgetInDevvit(tx, userId, nativeUserId('reddit', userId)),
};

const sealed = (column: string, placeOf: (communityId: string) => string): SealedColumn => ({
  table: 'devvit_apps',
  column,
  idColumns: ['community_id'],
  placeOf: (communityId = '') => placeOf(communityId),
});

/** Devvit apps that manage subreddits where no moderator gave a token. */
export const devvitModule = defineModule('devvit', {
  resources: [ownOperations(devvitOperations)],
  sealed: [sealed('secret', secretPlace), sealed('signing_key', signingKeyPlace)],
  erasures: [devvitErasure],
  tables: ['devvit_apps', 'devvit_members', 'devvit_orders'],
});
