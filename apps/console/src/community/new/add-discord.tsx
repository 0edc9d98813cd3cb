import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { Failure, List, Loading, Picture, Row, Section, Time } from '../../shared/ui/index.ts';
import { useOnReturn } from '../../shared/use-on-return.ts';
import { t } from '../messages/index.ts';
import { type Invitation, InviteStep } from './invite-step.tsx';
import styles from './new.module.css';
import { Waiting } from './waiting.tsx';

/** Invites the bot, and shows the server as soon as the bot has joined. */
export function AddDiscord({ invitation }: { invitation: Invitation }) {
  const { platform } = useSession();
  if (platform !== invitation.platform)
    return (
      <Section title={t('new.signInFirst', { platform: invitation.title })}>
        <p className={styles.note}>{t('new.otherAccount', { platform: invitation.title })}</p>
      </Section>
    );
  return (
    <>
      <InviteStep invitation={invitation} button={t('new.addToDiscord')} />
      <Arrivals />
    </>
  );
}

function Arrivals() {
  const navigate = useNavigate();
  const arrivals = useOperation('GET /latchkey/account/arrivals', {});
  useLive('account');
  useOnReturn(() => void arrivals.refetch());
  const add = useAction('POST /communities', {
    changes: ['GET /latchkey/account/communities', 'GET /latchkey/account/arrivals'],
    onDone: ({ id = '' }) => void navigate({ to: '/communities/$communityId/setup', params: { communityId: id } }),
  });
  const { items = [], problem } = arrivals.data ?? {};
  return (
    <Section title={t('new.chooseServer')} lead={t('new.chooseServerLead')}>
      {arrivals.isPending && <Loading text={t('new.loadingServers')} lines={2} />}
      <Failure error={arrivals.error} onRetry={() => void arrivals.refetch()} />
      {problem !== undefined && <p className={styles.note}>{problem}</p>}
      <List items={items} keyOf={({ id }) => id}>
        {({ platform, communityId, name, arrivedTime }) => (
          <Row
            picture={<Picture name={name} />}
            title={name}
            note={t.rich('new.botJoined', { time: <Time key="time" at={arrivedTime} isRelative /> })}
            actions={
              <Button
                onClick={() => add.run({ body: { platform, communityId, name } })}
                loading={add.isRunning}
                aria-label={t('new.useServerOf', { name })}
              >
                {t('new.useServer')}
              </Button>
            }
          />
        )}
      </List>
      <Failure error={add.error} />
      {arrivals.data !== undefined && items.length === 0 && (
        <Waiting isChecking={arrivals.isFetching} onCheck={() => void arrivals.refetch()}>
          {t('new.waitingForServer')}
        </Waiting>
      )}
    </Section>
  );
}
