import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RoleCard } from '../../parts/roles/role-card.tsx';
import roleStyles from '../../parts/roles/roles.module.css';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Picture, Query, Row, Time } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
import { t } from '../messages/index.ts';
import styles from './roles.module.css';

const own = 'GET /latchkey/account/communities/{communityId}/role-invite';
type Invite = Answer<typeof own>;

/** The way into a Discord server for a person who is not in it yet, with the roles that they qualify for. */
export function RoleInvite({ communityId }: { communityId: string }) {
  const invite = useOperation(own, { communityId });
  return (
    <section className={styles.community} aria-label={t('invite.title')} aria-busy={invite.isFetching}>
      <Query read={invite} loading={t('invite.loading')}>
        {(data) => <Offer communityId={communityId} invite={data} />}
      </Query>
    </section>
  );
}

function Offer({ communityId, invite }: { communityId: string; invite: Invite }) {
  const { communityName: name, picture, state, expiresTime, invited, roles } = invite;
  const create = useAction('POST /latchkey/account/communities/{communityId}/role-invite', { changes: [own] });
  // Only creating it, or asking for the present one, shows it.
  const url = webLink(create.answer?.url);
  const given = roles.filter(({ roleId }) => invited.includes(roleId)).map((role) => role.name);
  const isReady = state === 'ready';
  return (
    <>
      <Row
        picture={<Picture source={picture} name={name} />}
        title={<h2 className={styles.name}>{t('invite.to', { server: name })}</h2>}
        note={
          isReady
            ? t.rich('invite.ready', {
                roles: t.list(given),
                time: <Time key="time" at={expiresTime ?? ''} />,
              })
            : t(`invite.${state}`)
        }
        actions={
          state === 'member' ? null : isReady && url !== undefined ? (
            <Button component="a" href={url} rel="noreferrer" size="compact-sm">
              {t('invite.use')}
            </Button>
          ) : (
            <Button size="compact-sm" loading={create.isRunning} onClick={() => create.run({ communityId })}>
              {t('invite.get')}
            </Button>
          )
        }
      />
      <Failure error={create.error} />
      {roles.length > 0 && (
        <ul className={roleStyles.roles}>
          {roles.map((role) => (
            <li key={role.roleId}>
              <RoleCard role={role} platform="discord" action={() => <Link to="/me">{t('roles.linkAnother')}</Link>} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
