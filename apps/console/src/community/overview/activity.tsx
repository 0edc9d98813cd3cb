import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePages } from '../../shared/api/index.ts';
import { EmptyState, PagedList, Section, Time } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import { type ActivityLine, type Entry, groupActivity } from './group-activity.ts';
import styles from './overview.module.css';

/** Recent activity; new role changes appear as they are made. */
export function Activity({ communityId }: { communityId: string }) {
  const pages = usePages('GET /latchkey/communities/{communityId}/activity', { communityId, limit: 100 });
  return (
    <Section title="Activity" lead="Roles that were given and removed, and what admins did.">
      <PagedList
        pages={{ ...pages, items: groupActivity(pages.items, pages.hasMore) }}
        what="activity"
        keyOf={({ entry }) => entry.id}
        empty={
          <EmptyState title="Nothing has happened yet">
            Role changes appear here as they are made, once there is a rule.
          </EmptyState>
        }
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

function RoleChange({ communityId, line: { entry, members, isCut } }: { communityId: string; line: ActivityLine }) {
  const { kind, userId, userName, roleName = 'a role', changeSetId } = entry;
  const who =
    members > 1 ? (
      <strong>{isCut ? `${members.toLocaleString()}+ members` : counted(members, 'member')}</strong>
    ) : userId === undefined ? (
      'A member'
    ) : (
      <MemberLink communityId={communityId} userId={userId} name={userName} />
    );
  return (
    <>
      {who} {kind === 'role-given' ? 'got' : 'lost'} <strong>{roleName}</strong>
      {changeSetId !== undefined && (
        <>
          {' · '}
          <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId }}>
            why
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

/** Sentences around the object of an action. Actions that are not listed use the server's text, without the object. */
const sentences: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'rule.create': ['Rule', 'was created'],
  'rule.change': ['Rule', 'was changed'],
  'rule.delete': ['Rule', 'was deleted'],
  'community.app-install': ['Mini-app', 'was installed'],
  'community.app-change': ['The settings of mini-app', 'were changed'],
  'community.app-remove': ['Mini-app', 'was removed'],
  'community.access-grant': ['Application', 'was granted access'],
  'community.access-revoke': ['Access of application', 'was revoked'],
  'community.admins': ['The admins were changed for', ''],
  'guest-pass.give': ['A guest pass was given to', ''],
  'guest-pass.end': ['The guest pass of', 'was ended'],
  'change-set.approve': ['The held', 'were approved'],
  'change-set.approve-grants': ['Only the grants of the held', 'were approved'],
  'change-set.reject': ['The', 'were rejected'],
  'change-set.reject-and-restore': ['The', 'were rejected and the rule restored'],
  'change-set.comment': ['A comment was added to the', ''],
  'change-set.comment-delete': ['A comment was deleted from the', ''],
  'change-set.retry': ['The failed', 'were retried'],
  'change-set.undo': ['The', 'were undone'],
  'roles.check': ['A role check was started for', ''],
};

function AdminAction({ communityId, entry }: { communityId: string; entry: Entry }) {
  const { userId, userName, action = '', meaning = action, object } = entry;
  const by = userId === undefined ? 'the operator' : (userName ?? userId.split('#').at(-1));
  const sentence = object === undefined ? undefined : sentences[action];
  if (object === undefined || sentence === undefined)
    return (
      <>
        {meaning.replace(/\.$/, '')} by <strong>{by}</strong>
      </>
    );
  const [before, after] = sentence;
  return (
    <>
      {before} <ObjectName communityId={communityId} object={object} /> {after === '' ? '' : `${after} `}by{' '}
      <strong>{by}</strong>
    </>
  );
}

/** The object of an action, with a link if it still exists. */
function ObjectName({
  communityId,
  object: { kind, id, name, exists },
}: {
  communityId: string;
  object: NonNullable<Entry['object']>;
}): ReactNode {
  const shown = name === undefined ? `“${id}”` : `“${name}”`;
  if (kind === 'member')
    return exists ? <MemberLink communityId={communityId} userId={id} name={name} /> : id.split('#').at(-1);
  if (kind === 'change-set')
    return (
      <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId: id }}>
        role changes
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
