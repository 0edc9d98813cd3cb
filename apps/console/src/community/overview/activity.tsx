import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePages } from '../../shared/api/index.ts';
import { EmptyState, PagedList, Section, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { type ActivityLine, type Entry, groupActivity } from './group-activity.ts';
import styles from './overview.module.css';

/** Recent activity; new role changes appear as they are made. */
export function Activity({ communityId }: { communityId: string }) {
  const pages = usePages('GET /latchkey/communities/{communityId}/activity', { communityId, limit: 100 });
  return (
    <Section title={t('activity.title')} lead={t('activity.lead')}>
      <PagedList
        pages={{ ...pages, items: groupActivity(pages.items, pages.hasMore) }}
        loading={t('activity.loading')}
        more={t('activity.more')}
        keyOf={({ entry }) => entry.id}
        empty={<EmptyState title={t('activity.emptyTitle')}>{t('activity.empty')}</EmptyState>}
      >
        {(line) => (
          <div className={styles.entry}>
            <span className={styles.what}>
              {line.entry.kind === 'admin-action' ? (
                <AdminAction communityId={communityId} entry={line.entry} />
              ) : (
                <RoleChange communityId={communityId} line={line} />
              )}
            </span>
            <span className={styles.when}>
              <Time at={line.entry.time} isRelative />
            </span>
          </div>
        )}
      </PagedList>
    </Section>
  );
}

function RoleChange({ communityId, line }: { communityId: string; line: ActivityLine }) {
  const { entry, members, changes, isCut } = line;
  const { kind, userId, userName, changeSetId } = entry;
  const who =
    members > 1 ? (
      <strong key="who">{t(isCut ? 'activity.memberCountOrMore' : 'common.memberCount', { count: members })}</strong>
    ) : userId === undefined ? (
      t('common.aMember')
    ) : (
      <MemberLink key="who" communityId={communityId} userId={userId} name={userName} />
    );
  const names = changes.map(({ roleName = t('activity.aRole') }) => roleName);
  const role = <strong key="role">{t.list(names, 'and')}</strong>;
  return (
    <>
      {t.rich(kind === 'role-given' ? 'activity.gotRole' : 'activity.lostRole', { who, role })}
      {changeSetId !== undefined && (
        <>
          {' · '}
          <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId }}>
            {t('activity.why')}
          </Link>
        </>
      )}
    </>
  );
}

function MemberLink({ communityId, userId, name }: { communityId: string; userId: string; name: string | undefined }) {
  return (
    <Link to="/communities/$communityId/members/$userId" params={{ communityId, userId }}>
      {name ?? userId.split('#').at(-1)}
    </Link>
  );
}

/** Sentences with the object of an action. Actions that are not listed use the server's text, without the object. */
const sentences = {
  'rule.create': 'activity.ruleCreated',
  'rule.change': 'activity.ruleChanged',
  'rule.delete': 'activity.ruleDeleted',
  'community.app-install': 'activity.appInstalled',
  'community.app-change': 'activity.appChanged',
  'community.app-remove': 'activity.appRemoved',
  'community.access-grant': 'activity.accessGranted',
  'community.access-revoke': 'activity.accessRevoked',
  'community.admins': 'activity.adminsChanged',
  'guest-pass.give': 'activity.passGiven',
  'guest-pass.end': 'activity.passEnded',
  'change-set.approve': 'activity.approved',
  'change-set.approve-grants': 'activity.grantsApproved',
  'change-set.reject': 'activity.rejected',
  'change-set.reject-and-restore': 'activity.rejectedAndRestored',
  'change-set.comment': 'activity.commented',
  'change-set.comment-delete': 'activity.commentDeleted',
  'change-set.retry': 'activity.retried',
  'change-set.undo': 'activity.undone',
  'roles.check': 'activity.checkStarted',
} as const;

function isDescribed(action: string): action is keyof typeof sentences {
  return Object.hasOwn(sentences, action);
}

function AdminAction({ communityId, entry }: { communityId: string; entry: Entry }) {
  const { userId, userName, action = '', meaning = action, object } = entry;
  const by = (
    <strong key="by">{userId === undefined ? t('common.operator') : (userName ?? userId.split('#').at(-1))}</strong>
  );
  return object === undefined || !isDescribed(action)
    ? t.rich('activity.other', { action: meaning.replace(/\.$/, ''), by })
    : t.rich(sentences[action], { object: <ObjectName key="object" communityId={communityId} object={object} />, by });
}

/** The object of an action, with a link if it still exists. */
function ObjectName({
  communityId,
  object: { kind, id, name, exists },
}: {
  communityId: string;
  object: NonNullable<Entry['object']>;
}): ReactNode {
  const shown = t('activity.quoted', { name: name ?? id });
  if (kind === 'member')
    return exists ? <MemberLink communityId={communityId} userId={id} name={name} /> : id.split('#').at(-1);
  if (kind === 'change-set')
    return (
      <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId: id }}>
        {t('activity.roleChanges')}
      </Link>
    );
  if (kind === 'rule' && exists)
    return (
      <Link to="/communities/$communityId/rules/$ruleId" params={{ communityId, ruleId: id }}>
        {shown}
      </Link>
    );
  if (kind === 'app' && exists)
    return (
      <Link to="/communities/$communityId/apps" params={{ communityId }}>
        {shown}
      </Link>
    );
  return <strong>{shown}</strong>;
}
