import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { Failure, List, Loading, Picture, Row, Section, Time } from '../../shared/ui/index.ts';
import { useOnReturn } from '../../shared/use-on-return.ts';
import { type Invitation, InviteStep } from './invite-step.tsx';
import styles from './new.module.css';
import { Waiting } from './waiting.tsx';

/** Invites the bot, and shows the server as soon as the bot has joined. */
export function AddDiscord({ invitation }: { invitation: Invitation }) {
  const { platform } = useSession();
  if (platform !== invitation.platform)
    return (
      <Section title={`Sign in with ${invitation.title} first`}>
        <p className={styles.note}>
          You are signed in with another account. Sign out and sign in with the {invitation.title} account that manages
          your server: {invitation.title} is asked whether you may add it.
        </p>
      </Section>
    );
  return (
    <>
      <InviteStep invitation={invitation} button="Add to Discord" />
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
    <Section title="2. Choose your server" lead="Servers that you manage and that the bot is in appear here.">
      {arrivals.isPending && <Loading what="your servers" lines={2} />}
      <Failure error={arrivals.error} onRetry={() => void arrivals.refetch()} />
      {problem !== undefined && <p className={styles.note}>{problem}</p>}
      <List items={items} keyOf={({ id }) => id}>
        {({ platform, communityId, name, arrivedTime }) => (
          <Row
            picture={<Picture name={name} />}
            title={name}
            note={
              <>
                The bot joined <Time at={arrivedTime} isRelative />
              </>
            }
            actions={
              <Button
                onClick={() => add.run({ body: { platform, communityId, name } })}
                loading={add.isRunning}
                aria-label={`Use this server: ${name}`}
              >
                Use this server
              </Button>
            }
          />
        )}
      </List>
      <Failure error={add.error} />
      {arrivals.data !== undefined && items.length === 0 && (
        <Waiting isChecking={arrivals.isFetching} onCheck={() => void arrivals.refetch()}>
          Waiting for the bot to join a server of yours …
        </Waiting>
      )}
    </Section>
  );
}
