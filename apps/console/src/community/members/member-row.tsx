import { Link } from '@tanstack/react-router';
import type { ItemOf } from '../../shared/api/index.ts';
import { IconTicket, IconWallet } from '../../shared/icons.tsx';
import { Picture, Row, State, Time } from '../../shared/ui/index.ts';
import styles from './members.module.css';

type Member = ItemOf<'GET /latchkey/communities/{communityId}/members'>;

const mostRoles = 6;

/** One member: who, which roles, how many wallets, and the way to all that is known of them. */
export function MemberRow({ communityId, member }: { communityId: string; member: Member }) {
  const { platformUserId, userName, roles, wallets, hasGuestPass, isProtected, checkedTime } = member;
  const name = userName ?? platformUserId;
  const left = roles.length - mostRoles;
  return (
    <Row
      picture={<Picture name={name} />}
      title={
        <Link
          className={styles.name}
          to="/communities/$communityId/members/$userId"
          params={{ communityId, userId: platformUserId }}
          title={name}
        >
          {name}
        </Link>
      }
      states={
        <span className={styles.roles}>
          {roles.slice(0, mostRoles).map(({ roleId, roleName }) => (
            <State key={roleId}>{roleName ?? `Role ${roleId}`}</State>
          ))}
          {left > 0 && <State>{`${left} more`}</State>}
          {isProtected && <State tone="warn">Cannot be changed</State>}
        </span>
      }
      note={
        <>
          <IconWallet size={14} aria-hidden="true" />{' '}
          {wallets === 0 ? 'No wallet' : wallets === 1 ? '1 wallet' : `${wallets} wallets`}
          {hasGuestPass && (
            <>
              {' · '}
              <IconTicket size={14} aria-hidden="true" /> Guest pass
            </>
          )}
          {' · '}
          {checkedTime === undefined ? (
            'Never checked'
          ) : (
            <>
              Checked <Time at={checkedTime} isRelative />
            </>
          )}
        </>
      }
    />
  );
}
