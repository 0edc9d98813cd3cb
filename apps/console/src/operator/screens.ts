import {
  IconAward,
  IconBuildingStore,
  IconClipboardList,
  IconCoin,
  IconCreditCard,
  IconHeartbeat,
  IconKey,
  IconLifebuoy,
  IconLink,
  IconListDetails,
  IconMail,
  IconPlugConnected,
  IconShieldCheck,
  IconUsers,
  IconUsersGroup,
} from '../shared/icons.ts';
import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';

export const operatorScreens: readonly Screen[] = [
  { path: '/operator', title: () => t('screen.health'), icon: IconHeartbeat, load: () => import('./health/view.tsx') },
  {
    path: '/operator/approvals',
    title: () => t('screen.approvals'),
    icon: IconShieldCheck,
    load: () => import('./approvals/view.tsx'),
  },
  {
    path: '/operator/communities',
    title: () => t('screen.communities'),
    icon: IconUsersGroup,
    load: () => import('./communities/view.tsx'),
  },
  {
    path: '/operator/people',
    title: () => t('screen.people'),
    icon: IconUsers,
    load: () => import('./people/view.tsx'),
  },
  { path: '/operator/people/$userId', title: () => t('screen.person'), load: () => import('./person/view.tsx') },
  {
    path: '/operator/plans',
    title: () => t('screen.plans'),
    icon: IconCreditCard,
    load: () => import('./plans/view.tsx'),
  },
  {
    path: '/operator/jobs',
    title: () => t('screen.jobs'),
    icon: IconListDetails,
    load: () => import('./jobs/view.tsx'),
  },
  {
    path: '/operator/chains',
    title: () => t('screen.chains'),
    icon: IconLink,
    load: () => import('./chains/view.tsx'),
  },
  { path: '/operator/keys', title: () => t('screen.keys'), icon: IconKey, load: () => import('./keys/view.tsx') },
  {
    path: '/operator/linked-roles',
    title: () => t('screen.linkedRoles'),
    icon: IconAward,
    load: () => import('./linked-roles/view.tsx'),
  },
  {
    path: '/operator/spending',
    title: () => t('screen.spending'),
    icon: IconCoin,
    load: () => import('./spending/view.tsx'),
  },
  { path: '/operator/mails', title: () => t('screen.mails'), icon: IconMail, load: () => import('./mails/view.tsx') },
  {
    path: '/operator/tickets',
    title: () => t('screen.tickets'),
    icon: IconLifebuoy,
    load: () => import('./tickets/view.tsx'),
  },
  {
    path: '/operator/waiting-list',
    title: () => t('screen.waitingList'),
    icon: IconBuildingStore,
    load: () => import('./waiting-list/view.tsx'),
  },
  {
    path: '/operator/audit',
    title: () => t('screen.audit'),
    icon: IconClipboardList,
    load: () => import('./audit/view.tsx'),
  },
  {
    path: '/operator/settings',
    title: () => t('screen.operatorSettings'),
    icon: IconPlugConnected,
    load: () => import('./settings/view.tsx'),
  },
];
