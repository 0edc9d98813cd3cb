import type { Screen } from '../shared/screen.ts';

export const memberScreens: readonly Screen[] = [
  { path: '/me', title: 'My account', load: () => import('./me/view.tsx') },
  { path: '/me/linked-roles', title: 'Discord linked roles', load: () => import('./linked-roles/view.tsx') },
  { path: '/me/roles', title: 'My roles', load: () => import('./roles/view.tsx') },
];
