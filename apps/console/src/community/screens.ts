import type { Screen } from '../shared/screen.ts';

export const communityScreens: readonly Screen[] = [
  { path: '/communities/$communityId/members', title: 'Members', load: () => import('./members/view.tsx') },
  { path: '/communities/$communityId/members/$userId', title: 'Member', load: () => import('./member/view.tsx') },
  { path: '/communities/$communityId/plans', title: 'Plans', load: () => import('./plans/view.tsx') },
  { path: '/communities/$communityId/plans/$planId', title: 'Plan', load: () => import('./plan/view.tsx') },
  { path: '/communities/$communityId/analytics', title: 'Analytics', load: () => import('./analytics/view.tsx') },
];
