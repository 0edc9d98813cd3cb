import type { Screen } from '../shared/screen.ts';

export const communityScreens: readonly Screen[] = [
  { path: '/', title: 'Home', load: () => import('./home/view.tsx') },
  { path: '/communities/new', title: 'Add a community', load: () => import('./new/view.tsx') },
  { path: '/communities/$communityId', title: 'Overview', load: () => import('./overview/view.tsx') },
  { path: '/communities/$communityId/setup', title: 'Setup', load: () => import('./setup/view.tsx') },
  { path: '/communities/$communityId/passes', title: 'Guest passes', load: () => import('./passes/view.tsx') },
  { path: '/communities/$communityId/apps', title: 'Apps', load: () => import('./apps/view.tsx') },
  { path: '/communities/$communityId/wallet', title: 'Wallet', load: () => import('./wallet/view.tsx') },
  { path: '/communities/$communityId/settings', title: 'Settings', load: () => import('./settings/view.tsx') },
  { path: '/communities/$communityId/members', title: 'Members', load: () => import('./members/view.tsx') },
  { path: '/communities/$communityId/members/$userId', title: 'Member', load: () => import('./member/view.tsx') },
  {
    path: '/communities/$communityId/role-changes',
    title: 'Role changes',
    load: () => import('./role-changes/view.tsx'),
  },
  {
    path: '/communities/$communityId/role-changes/$changeSetId',
    title: 'Role change',
    load: () => import('./change-set/view.tsx'),
  },
  { path: '/communities/$communityId/analytics', title: 'Analytics', load: () => import('./analytics/view.tsx') },
  { path: '/communities/$communityId/rules', title: 'Rules', load: () => import('./rules/view.tsx') },
  { path: '/communities/$communityId/rules/new', title: 'New rule', load: () => import('./rule-builder/view.tsx') },
  {
    path: '/communities/$communityId/rules/import',
    title: 'Import rules',
    load: () => import('./rule-import/view.tsx'),
  },
  {
    path: '/communities/$communityId/rules/import/$importId',
    title: 'Import',
    load: () => import('./rule-import/view.tsx'),
  },
  { path: '/communities/$communityId/shadow-mode', title: 'Shadow mode', load: () => import('./shadow-mode/view.tsx') },
  { path: '/communities/$communityId/rules/$ruleId', title: 'Rule', load: () => import('./rule-builder/view.tsx') },
];
