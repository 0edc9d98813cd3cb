import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { communityJobs, communitySchedules } from './admin-jobs.ts';
import { applicationAccessOperations } from './application-access-operations.ts';
import { communitiesErasure } from './forget.ts';
import { communities } from './operations.ts';
import { ownChangeOperations } from './own-change-operations.ts';
import { communitiesSealed } from './sealed-columns.ts';
import { communitySettingOperations } from './setting-operations.ts';

export const communitiesFeature = feature('communities', {
  resources: [
    communities,
    ownOperations(communitySettingOperations),
    ownOperations(applicationAccessOperations),
    ownOperations(ownChangeOperations),
  ],
  jobs: communityJobs,
  schedules: communitySchedules,
  sealed: communitiesSealed,
  erasures: [communitiesErasure],
  tables: [
    'community_rules',
    'community_rule_changes',
    'mini_app_manifests',
    'community_apps',
    'communities',
    'community_wallets',
    'community_plans',
    'community_admins',
    'community_access',
  ],
});
