import type { Screen } from '../shared/screen.ts';

export const developerScreens: readonly Screen[] = [
  { path: '/developers', title: 'Developers', load: () => import('./home/view.tsx') },
  { path: '/developers/$orgId', title: 'Organization', load: () => import('./organization/view.tsx') },
  { path: '/developers/apps/$appId', title: 'Application', load: () => import('./app/view.tsx') },
  { path: '/developers/apps/$appId/try-login', title: 'Try a login', load: () => import('./try-login/view.tsx') },
  { path: '/developers/mini-apps', title: 'Mini-apps', load: () => import('./mini-apps/view.tsx') },
  { path: '/developers/mini-apps/$miniAppId', title: 'Mini-app', load: () => import('./mini-app/view.tsx') },
];
