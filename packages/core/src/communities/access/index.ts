import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { applicationAccessOperations } from './operations.ts';
import { accessErasure } from './queries.ts';

export {
  type AdminRow,
  administeredBy,
  deleteAdmin,
  deleteAdminsWithoutSponsor,
  deleteOtherAdmins,
  type Ground,
  insertAdmins,
  isAdmin,
  nameAnew,
  putAdmin,
  selectAdminIds,
  selectAdminIdsOf,
  selectAdmins,
  selectDueForAsking,
} from './admin-queries.ts';
export {
  askAdminStatus,
  type ConfirmContext,
  confirmAdmins,
  type Place,
  reloadAdministered,
} from './confirm-admins.ts';
export {
  administersCommunity,
  adminOrGrantedApp,
  communityAdmin,
  communityReader,
  communityViewer,
  confirmedCommunityAdmin,
  getReadableCommunity,
  isInternal,
  ownCommunity,
  readableAmong,
  readingTenant,
  readOfCommunity,
  requireCommunityAdmin,
  scopelessReader,
  tenantReading,
} from './guards.ts';
export { readableBy } from './queries.ts';

export const accessModule = defineModule('access', {
  resources: [ownOperations(applicationAccessOperations)],
  erasures: [accessErasure],
  tables: ['community_admins', 'community_access'],
});
