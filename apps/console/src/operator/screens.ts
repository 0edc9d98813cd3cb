import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';

export const operatorScreens: readonly Screen[] = [
  { path: '/operator', title: () => t('screen.health'), load: () => import('./health/view.tsx') },
  { path: '/operator/approvals', title: () => t('screen.approvals'), load: () => import('./approvals/view.tsx') },
  { path: '/operator/communities', title: () => t('screen.communities'), load: () => import('./communities/view.tsx') },
  { path: '/operator/people', title: () => t('screen.people'), load: () => import('./people/view.tsx') },
  { path: '/operator/people/$userId', title: () => t('screen.person'), load: () => import('./person/view.tsx') },
  { path: '/operator/plans', title: () => t('screen.plans'), load: () => import('./plans/view.tsx') },
  { path: '/operator/jobs', title: () => t('screen.jobs'), load: () => import('./jobs/view.tsx') },
  { path: '/operator/chains', title: () => t('screen.chains'), load: () => import('./chains/view.tsx') },
  { path: '/operator/keys', title: () => t('screen.keys'), load: () => import('./keys/view.tsx') },
  {
    path: '/operator/linked-roles',
    title: () => t('screen.linkedRoles'),
    load: () => import('./linked-roles/view.tsx'),
  },
  { path: '/operator/spending', title: () => t('screen.spending'), load: () => import('./spending/view.tsx') },
  { path: '/operator/mails', title: () => t('screen.mails'), load: () => import('./mails/view.tsx') },
  { path: '/operator/tickets', title: () => t('screen.tickets'), load: () => import('./tickets/view.tsx') },
  {
    path: '/operator/waiting-list',
    title: () => t('screen.waitingList'),
    load: () => import('./waiting-list/view.tsx'),
  },
  { path: '/operator/audit', title: () => t('screen.audit'), load: () => import('./audit/view.tsx') },
  { path: '/operator/settings', title: () => t('screen.operatorSettings'), load: () => import('./settings/view.tsx') },
];
