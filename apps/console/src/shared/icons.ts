import { icon } from '../parts/line-icon.ts';

export { type Icon, IconBrandDiscord, IconBrandReddit, IconBrandTelegram } from '../parts/line-icon.ts';

const ring = 'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z';
const dot = (x: number, y: number) => `M${x} ${y}h.01`;
const head = 'M9 4.5a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 0 0 0-6.5z';
const shoulders = 'M3 19.5c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5';
const board = 'M6 5h12a1 1 0 0 1 1 1v13.5a1 1 0 0 1-1 1h-12a1 1 0 0 1-1-1v-13.5a1 1 0 0 1 1-1z';
const square = (x: number, y: number) => `M${x} ${y}h6v6h-6z`;

export const IconAlertTriangle = icon('M12 4l9 15.5h-18z', 'M12 10v4', dot(12, 16.8));
export const IconApps = icon(square(4, 4), square(14, 4), square(4, 14), square(14, 14));
export const IconArrowLeft = icon('M19.5 12h-15', 'M10.5 6l-6 6l6 6');
export const IconAward = icon('M12 3.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11z', 'M8.5 13.5l-1.5 7l5-2.5l5 2.5l-1.5-7');
export const IconBell = icon('M6 17v-6a6 6 0 0 1 12 0v6l1.5 1.5h-15z', 'M10 21h4');
export const IconBuildingStore = icon(
  'M4 9l1.5-4.5h13l1.5 4.5',
  'M4 9h16v2h-16z',
  'M5.5 11v8.5h13v-8.5',
  'M10 19.5v-4.5h4v4.5',
);
export const IconChartLine = icon('M4 4v15.5h16', 'M7.5 15l4-5l3 2.5l5-6.5');
export const IconCheck = icon('M5 12.5l4.5 4.5l9.5-10');
export const IconChevronDown = icon('M6 9.5l6 6l6-6');
export const IconChevronRight = icon('M9.5 6l6 6l-6 6');
export const IconCircleCheck = icon(ring, 'M8.5 12.5l2.5 2.5l4.5-5.5');
export const IconCirclePlus = icon(ring, 'M12 8.5v7', 'M8.5 12h7');
export const IconCircleX = icon(ring, 'M9.2 9.2l5.6 5.6', 'M14.8 9.2l-5.6 5.6');
export const IconClipboardList = icon(board, 'M9 3.5h6v3h-6z', 'M9 11h6', 'M9 15.5h6');
export const IconClock = icon(ring, 'M12 7.5v4.5l3 2');
export const IconCode = icon('M8 7l-5 5l5 5', 'M16 7l5 5l-5 5', 'M13.5 5l-3 14');
export const IconCoin = icon(
  ring,
  'M14.5 9.5c-.6-1-1.5-1.5-2.5-1.5c-1.5 0-2.5 .8-2.5 2s1 1.7 2.5 2s2.5 .8 2.5 2s-1 2-2.5 2c-1 0-1.9-.5-2.5-1.5',
  'M12 6.5v1.5',
  'M12 16v1.5',
);
export const IconCopy = icon('M8.5 8.5h11v11h-11z', 'M5.5 15.5h-1v-11h11v1');
export const IconCreditCard = icon('M3 6h18v12h-18z', 'M3 10h18', 'M6.5 14.5h3');
export const IconDots = icon(dot(5.5, 12), dot(12, 12), dot(18.5, 12));
export const IconDownload = icon('M12 4v10.5', 'M7.5 10.5l4.5 4.5l4.5-4.5', 'M4.5 19.5h15');
export const IconExternalLink = icon('M13.5 4.5h6v6', 'M19.5 4.5l-9 9', 'M10 6h-5.5v13.5h13.5v-5.5');
export const IconHeartbeat = icon('M3 12.5h4l2.5-6.5l4.5 12l2.5-5.5h4.5');
export const IconHelpCircle = icon(
  ring,
  'M9.7 9.8c.2-1.3 1.2-2 2.3-2c1.3 0 2.3 .9 2.3 2.1c0 1.8-2.3 2-2.3 3.6',
  dot(12, 16.3),
);
export const IconHome = icon('M3.5 11.5l8.5-7.5l8.5 7.5', 'M6 9.5v10h12v-10', 'M10 19.5v-5h4v5');
export const IconKey = icon(
  'M8 11.5a4 4 0 1 0 0 8a4 4 0 0 0 0-8z',
  'M10.8 12.7l8.7-8.7',
  'M16.5 7l2.5 2.5',
  'M13.5 10l2 2',
);
export const IconLayoutDashboard = icon('M4 4h7v9h-7z', 'M13 4h7v5h-7z', 'M13 11h7v9h-7z', 'M4 15h7v5h-7z');
export const IconLifebuoy = icon(
  ring,
  'M12 8.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7z',
  'M6 6l3.5 3.5',
  'M18 6l-3.5 3.5',
  'M6 18l3.5-3.5',
  'M18 18l-3.5-3.5',
);
export const IconLink = icon(
  'M10 14l4-4',
  'M11 7.5l2.5-2.5a3.9 3.9 0 0 1 5.5 5.5l-2.5 2.5',
  'M13 16.5l-2.5 2.5a3.9 3.9 0 0 1-5.5-5.5l2.5-2.5',
);
export const IconListCheck = icon(
  'M3.5 6.5l1.5 1.5l2.5-3',
  'M3.5 14l1.5 1.5l2.5-3',
  'M11 7h9.5',
  'M11 14.5h9.5',
  'M5 20h15.5',
);
export const IconListDetails = icon(
  'M4 5h5v5h-5z',
  'M4 14h5v5h-5z',
  'M12.5 6h7.5',
  'M12.5 9.5h5',
  'M12.5 15h7.5',
  'M12.5 18.5h5',
);
export const IconLogin2 = icon('M13 4.5h6v15h-6', 'M4 12h10', 'M10.5 8l4 4l-4 4');
export const IconLogout = icon('M11 4.5h-6v15h6', 'M10 12h10', 'M16.5 8l4 4l-4 4');
export const IconMail = icon('M3 6h18v12.5h-18z', 'M3.5 6.5l8.5 7l8.5-7');
export const IconMenu2 = icon('M4 6.5h16', 'M4 12h16', 'M4 17.5h16');
export const IconPlugConnected = icon(
  'M7 12l5 5l-2 2a3.5 3.5 0 0 1-5-5z',
  'M17 12l-5-5l2-2a3.5 3.5 0 0 1 5 5z',
  'M4 20l1.5-1.5',
  'M18.5 5.5l1.5-1.5',
  'M9.5 11l2-2',
  'M13 14.5l2-2',
);
export const IconPlugConnectedX = icon(
  'M7 12l5 5l-2 2a3.5 3.5 0 0 1-5-5z',
  'M17 12l-5-5l2-2a3.5 3.5 0 0 1 5 5z',
  'M4 20l1.5-1.5',
  'M18.5 5.5l1.5-1.5',
  'M16 16l4 4',
  'M20 16l-4 4',
);
export const IconPlus = icon('M12 5v14', 'M5 12h14');
export const IconRefresh = icon(
  'M19.5 11a7.6 7.6 0 0 0-14-3l-1.5 2',
  'M4 5v5h5',
  'M4.5 13a7.6 7.6 0 0 0 14 3l1.5-2',
  'M20 19v-5h-5',
);
export const IconSearch = icon('M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13z', 'M15.5 15.5l4.5 4.5');
export const IconSettings = icon(
  'M4 7h9',
  'M17 7h3',
  'M15 5v4',
  'M4 12h3',
  'M11 12h9',
  'M9 10v4',
  'M4 17h10',
  'M18 17h2',
  'M16 15v4',
);
export const IconShieldCheck = icon(
  'M12 3.5l7.5 3v5c0 4.5-3.2 7.6-7.5 9c-4.3-1.4-7.5-4.5-7.5-9v-5z',
  'M8.8 12l2.3 2.3l4.1-4.6',
);
export const IconTicket = icon(
  'M3.5 6.5h17v3.5a2 2 0 0 0 0 4v3.5h-17v-3.5a2 2 0 0 0 0-4z',
  'M14.5 8.5v1',
  'M14.5 11.5v1',
  'M14.5 14.5v1',
);
export const IconTrash = icon('M4.5 7h15', 'M9.5 7v-2.5h5v2.5', 'M6.5 7l1 12.5h9l1-12.5', 'M10 11v5', 'M14 11v5');
export const IconUser = icon(
  'M12 4.5a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 0 0 0-7.5z',
  'M5 20c0-3.5 3-5.5 7-5.5s7 2 7 5.5',
);
export const IconUsers = icon(head, shoulders, 'M15.5 4.8a3.2 3.2 0 0 1 0 6', 'M17.5 14.5c2.2 .6 3.5 2.4 3.5 5');
export const IconUsersGroup = icon(
  'M12 9a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5z',
  'M7.5 20c0-2.3 1.9-3.5 4.5-3.5s4.5 1.2 4.5 3.5',
  'M5.5 4a2 2 0 1 0 0 4a2 2 0 0 0 0-4z',
  'M18.5 4a2 2 0 1 0 0 4a2 2 0 0 0 0-4z',
  'M2.5 13c0-1.8 1.3-2.7 3-2.7',
  'M21.5 13c0-1.8-1.3-2.7-3-2.7',
);
export const IconWallet = icon(
  'M4 7.5v10.5a1.5 1.5 0 0 0 1.5 1.5h14v-10h-14a1.5 1.5 0 0 1-1.5-2a2 2 0 0 1 2-2h11.5v4',
  dot(16, 14.5),
);
export const IconX = icon('M6 6l12 12', 'M18 6l-12 12');
