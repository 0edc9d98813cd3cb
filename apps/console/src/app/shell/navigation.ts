import {
  type Icon,
  IconApps,
  IconAward,
  IconBuildingStore,
  IconChartLine,
  IconClipboardList,
  IconCode,
  IconCoin,
  IconCreditCard,
  IconHeartbeat,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconLifebuoy,
  IconLink,
  IconListCheck,
  IconListDetails,
  IconMail,
  IconPlugConnected,
  IconSettings,
  IconShieldCheck,
  IconTicket,
  IconUser,
  IconUsers,
  IconUsersGroup,
} from '../../shared/icons.tsx';

export interface Place {
  to: string;
  title: string;
  icon: Icon;
}

/** For everybody. */
export const ownPlaces: readonly Place[] = [
  { to: '/', title: 'Home', icon: IconHome },
  { to: '/me/roles', title: 'My roles', icon: IconAward },
  { to: '/me', title: 'My account', icon: IconUser },
  { to: '/developers', title: 'Developers', icon: IconCode },
];

/** Inside of a community. */
export const communityPlaces: readonly Place[] = [
  { to: '/communities/$communityId', title: 'Overview', icon: IconLayoutDashboard },
  { to: '/communities/$communityId/rules', title: 'Rules', icon: IconListCheck },
  { to: '/communities/$communityId/members', title: 'Members', icon: IconUsers },
  { to: '/communities/$communityId/role-changes', title: 'Role changes', icon: IconClipboardList },
  { to: '/communities/$communityId/passes', title: 'Guest passes', icon: IconTicket },
  { to: '/communities/$communityId/apps', title: 'Apps', icon: IconApps },
  { to: '/communities/$communityId/analytics', title: 'Analytics', icon: IconChartLine },
  { to: '/communities/$communityId/wallet', title: 'Wallet', icon: IconCoin },
  { to: '/communities/$communityId/settings', title: 'Settings', icon: IconSettings },
];

export const operatorPlaces: readonly Place[] = [
  { to: '/operator', title: 'Health', icon: IconHeartbeat },
  { to: '/operator/approvals', title: 'Approvals', icon: IconShieldCheck },
  { to: '/operator/communities', title: 'Communities', icon: IconUsersGroup },
  { to: '/operator/people', title: 'People', icon: IconUsers },
  { to: '/operator/plans', title: 'Plans and prices', icon: IconCreditCard },
  { to: '/operator/jobs', title: 'Jobs', icon: IconListDetails },
  { to: '/operator/chains', title: 'Chains', icon: IconLink },
  { to: '/operator/keys', title: 'Keys', icon: IconKey },
  { to: '/operator/linked-roles', title: 'Linked roles', icon: IconAward },
  { to: '/operator/spending', title: 'Spending', icon: IconCoin },
  { to: '/operator/mails', title: 'Mail', icon: IconMail },
  { to: '/operator/tickets', title: 'Support tickets', icon: IconLifebuoy },
  { to: '/operator/waiting-list', title: 'Waiting list', icon: IconBuildingStore },
  { to: '/operator/audit', title: 'Audit log', icon: IconClipboardList },
  { to: '/operator/settings', title: 'Settings', icon: IconPlugConnected },
];
