import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';

export const memberScreens: readonly Screen[] = [
  { path: '/me', title: () => t('screen.myAccount'), load: () => import('./me/view.tsx') },
  {
    path: '/me/linked-roles',
    title: () => t('screen.discordLinkedRoles'),
    load: () => import('./linked-roles/view.tsx'),
  },
  { path: '/me/roles', title: () => t('screen.myRoles'), load: () => import('./roles/view.tsx') },
];
