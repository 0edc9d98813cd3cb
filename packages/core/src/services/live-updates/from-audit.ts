import type { AuditAction } from '@latchkey/kernel';
import type { Announcement, Changed } from './announcement.ts';

/** What an audited action changes, by the first word of its name. */
const changedBy: Readonly<Record<string, Changed>> = {
  access: 'applications',
  'admin-key': 'keys',
  app: 'applications',
  authenticator: 'sessions',
  'change-set': 'changeSets',
  community: 'setup',
  jobs: 'jobs',
  'mini-app': 'applications',
  passkey: 'sessions',
  roles: 'members',
  rule: 'rules',
  session: 'sessions',
  wallet: 'wallets',
};

interface Recorded {
  action: AuditAction;
  who: string;
  subject?: string | undefined;
  target?: string | undefined;
  communityId?: string | undefined;
}

/** Every audit entry is a change that a client may be displaying. */
export function announcementOf({ action, who, subject, target, communityId }: Recorded): Announcement {
  const [noun = ''] = action.split('.');
  return {
    changed: changedBy[noun] ?? 'activity',
    ...(target !== undefined && target.length <= mostIdLength && { id: target }),
    ...(communityId !== undefined && { community: communityId }),
    accounts: [...new Set([who, ...(subject === undefined ? [] : [subject])])].filter((id) => id.includes('#USER#')),
    operator: true,
  };
}

const mostIdLength = 256;
