import { IconAward, IconUser } from '../shared/icons.ts';
import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';

export const memberScreens: readonly Screen[] = [
  { path: '/me/roles', title: () => t('screen.myRoles'), icon: IconAward, load: () => import('./roles/view.tsx') },
  { path: '/me', title: () => t('screen.myAccount'), icon: IconUser, load: () => import('./me/view.tsx') },
  {
    path: '/me/linked-roles',
    title: () => t('screen.discordLinkedRoles'),
    load: () => import('./linked-roles/view.tsx'),
  },
];
