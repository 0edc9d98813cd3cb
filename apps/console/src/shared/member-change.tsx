import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import styles from './member-change.module.css';
import { Why } from './reasons/index.ts';
import { Picture, Row } from './ui/index.ts';

interface Change extends Pick<Parameters<typeof Why>[0], 'words' | 'lines' | 'blocks'> {
  userId: string;
  userName?: string | undefined;
  roleId: string;
  roleName?: string | undefined;
}

/** One role that one member gains or loses, and why. */
export function MemberChange(props: {
  communityId: string;
  change: Change;
  /** What comes between the member's name and the role's. */
  verb: string;
  state: ReactNode;
  children?: ReactNode;
}) {
  const { userId, userName, roleId, roleName, ...why } = props.change;
  const native = userId.split('#').at(-1) ?? userId;
  const name = userName ?? native;
  const what = `${props.verb} ${roleName ?? `role ${roleId}`}`;
  return (
    <div className={styles.change}>
      <Row
        picture={<Picture name={name} size={24} />}
        title={
          <>
            <Link
              className={styles.name}
              to="/communities/$communityId/members/$userId"
              params={{ communityId: props.communityId, userId: native }}
              title={name}
            >
              {name}
            </Link>{' '}
            {what}
          </>
        }
        states={props.state}
      />
      {props.children}
      <Why words={why.words} lines={why.lines} blocks={why.blocks} about={`${name} ${what}`} />
    </div>
  );
}
