import type { Screen } from '../shared/screen.ts';

export const operatorScreens: readonly Screen[] = [
  { path: '/operator', title: 'Health', load: () => import('./health/view.tsx') },
  { path: '/operator/approvals', title: 'Approvals', load: () => import('./approvals/view.tsx') },
  { path: '/operator/communities', title: 'Communities', load: () => import('./communities/view.tsx') },
  { path: '/operator/people', title: 'People', load: () => import('./people/view.tsx') },
  { path: '/operator/people/$userId', title: 'Person', load: () => import('./person/view.tsx') },
  { path: '/operator/plans', title: 'Plans and prices', load: () => import('./plans/view.tsx') },
  { path: '/operator/jobs', title: 'Jobs', load: () => import('./jobs/view.tsx') },
  { path: '/operator/chains', title: 'Chains', load: () => import('./chains/view.tsx') },
  { path: '/operator/keys', title: 'Keys', load: () => import('./keys/view.tsx') },
  { path: '/operator/linked-roles', title: 'Linked roles', load: () => import('./linked-roles/view.tsx') },
  { path: '/operator/spending', title: 'Spending', load: () => import('./spending/view.tsx') },
  { path: '/operator/mails', title: 'Mail', load: () => import('./mails/view.tsx') },
  { path: '/operator/tickets', title: 'Support tickets', load: () => import('./tickets/view.tsx') },
  { path: '/operator/waiting-list', title: 'Waiting list', load: () => import('./waiting-list/view.tsx') },
  { path: '/operator/audit', title: 'Audit log', load: () => import('./audit/view.tsx') },
  { path: '/operator/settings', title: 'Settings', load: () => import('./settings/view.tsx') },
];
