import {
  IconApps,
  IconChartLine,
  IconClipboardList,
  IconCoin,
  IconHome,
  IconLayoutDashboard,
  IconListCheck,
  IconSettings,
  IconShieldCheck,
  IconTicket,
  IconUsers,
} from '../shared/icons.ts';
import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';

export const communityScreens: readonly Screen[] = [
  { path: '/', title: () => t('screen.home'), icon: IconHome, load: () => import('./home/view.tsx') },
  {
    path: '/communities/$communityId',
    title: () => t('screen.overview'),
    icon: IconLayoutDashboard,
    load: () => import('./overview/view.tsx'),
  },
  { path: '/communities/$communityId/setup', title: () => t('screen.setup'), load: () => import('./setup/view.tsx') },
  {
    path: '/communities/$communityId/shadow-mode',
    title: () => t('screen.shadowMode'),
    load: () => import('./shadow-mode/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules',
    title: () => t('screen.rules'),
    icon: IconListCheck,
    load: () => import('./rules/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/new',
    title: () => t('screen.newRule'),
    load: () => import('./rule-builder/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/file',
    title: () => t('screen.rulesFile'),
    load: () => import('./rules-file/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/analysis',
    title: () => t('screen.ruleAnalysis'),
    load: () => import('./rule-analysis/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/import',
    title: () => t('screen.importRules'),
    load: () => import('./rule-import/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/import/$importId',
    title: () => t('screen.ruleImport'),
    load: () => import('./rule-import/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/$ruleId',
    title: () => t('screen.rule'),
    load: () => import('./rule-builder/view.tsx'),
  },
  {
    path: '/communities/$communityId/members',
    title: () => t('screen.members'),
    icon: IconUsers,
    load: () => import('./members/view.tsx'),
  },
  {
    path: '/communities/$communityId/members/$userId',
    title: () => t('screen.member'),
    load: () => import('./member/view.tsx'),
  },
  {
    path: '/communities/$communityId/role-changes',
    title: () => t('screen.roleChanges'),
    icon: IconClipboardList,
    load: () => import('./role-changes/view.tsx'),
  },
  {
    path: '/communities/$communityId/role-changes/$changeSetId',
    title: () => t('screen.roleChange'),
    load: () => import('./change-set/view.tsx'),
  },
  {
    path: '/communities/$communityId/security',
    title: () => t('screen.security'),
    icon: IconShieldCheck,
    load: () => import('./security/view.tsx'),
  },
  {
    path: '/communities/$communityId/passes',
    title: () => t('screen.passes'),
    icon: IconTicket,
    load: () => import('./passes/view.tsx'),
  },
  {
    path: '/communities/$communityId/apps',
    title: () => t('screen.apps'),
    icon: IconApps,
    load: () => import('./apps/view.tsx'),
  },
  {
    path: '/communities/$communityId/analytics',
    title: () => t('screen.analytics'),
    icon: IconChartLine,
    load: () => import('./analytics/view.tsx'),
  },
  {
    path: '/communities/$communityId/wallet',
    title: () => t('screen.wallet'),
    icon: IconCoin,
    load: () => import('./wallet/view.tsx'),
  },
  {
    path: '/communities/$communityId/settings',
    title: () => t('screen.communitySettings'),
    icon: IconSettings,
    load: () => import('./settings/view.tsx'),
  },
  { path: '/communities/new', title: () => t('screen.addCommunity'), load: () => import('./new/view.tsx') },
];
