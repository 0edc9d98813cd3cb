import { IconCode } from '../shared/icons.ts';
import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';

export const developerScreens: readonly Screen[] = [
  { path: '/developers', title: () => t('screen.developers'), icon: IconCode, load: () => import('./home/view.tsx') },
  { path: '/developers/$orgId', title: () => t('screen.organization'), load: () => import('./organization/view.tsx') },
  { path: '/developers/apps/$appId', title: () => t('screen.application'), load: () => import('./app/view.tsx') },
  {
    path: '/developers/apps/$appId/try-login',
    title: () => t('screen.tryLogin'),
    load: () => import('./try-login/view.tsx'),
  },
  {
    path: '/developers/apps/$appId/events',
    title: () => t('screen.appEvents'),
    load: () => import('./app-events/view.tsx'),
  },
  { path: '/developers/mini-apps', title: () => t('screen.miniApps'), load: () => import('./mini-apps/view.tsx') },
  {
    path: '/developers/mini-apps/$miniAppId',
    title: () => t('screen.miniApp'),
    load: () => import('./mini-app/view.tsx'),
  },
];
