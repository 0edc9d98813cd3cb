import { Button } from '@mantine/core';
import { useSession } from '../../shared/session.ts';
import { Failure, Loading, Row, Section, State } from '../../shared/ui/index.ts';
import type { Invitation } from './invite-step.tsx';
import styles from './new.module.css';
import { PasteToken } from './paste-token.tsx';
import { type RedditConsent, useRedditConsent } from './use-reddit-consent.ts';

const signIn = `/login/console/with/reddit?to=${encodeURIComponent('/console/communities/new?platform=reddit')}`;

/** Reddit has no bots to invite: a moderator lets this server act for their own account. */
export function AddReddit({ invitation }: { invitation: Invitation }) {
  const { platform } = useSession();
  const isOnReddit = platform === 'reddit';
  const reddit = useRedditConsent();
  const { data, error, isPending, refetch } = reddit.state;
  const consent = data?.consent;
  return (
    <>
      <Section
        title="1. Sign in with Reddit"
        lead={`Only a moderator can link a subreddit: somebody with ${invitation.rightsToManage}. Sign in here with that moderator’s Reddit account.`}
        actions={
          isOnReddit ? (
            <State tone="good">Signed in with Reddit</State>
          ) : (
            <Button component="a" href={signIn}>
              Sign in with Reddit
            </Button>
          )
        }
      >
        {!isOnReddit && <p className={styles.note}>You are signed in with another account.</p>}
      </Section>
      <Section
        title="2. Allow it on Reddit"
        lead="Reddit asks you to let Latchkey act for your account. Latchkey uses these rights of yours and nothing else, keeps the access encrypted, and revokes it when you unlink the subreddit."
        actions={
          <>
            {consent !== undefined && <State tone="good">Allowed by u/{consent.userName}</State>}
            <Button
              variant={consent === undefined && isOnReddit ? 'filled' : 'default'}
              loading={reddit.isGoing}
              onClick={() => void reddit.goToReddit()}
            >
              {consent === undefined ? 'Continue to Reddit' : 'Use another account'}
            </Button>
          </>
        }
      >
        <dl className={styles.permissions}>
          {invitation.permissions.map(({ name, reason }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
        <p role="status" className={styles.note}>
          {reddit.note}
        </p>
        <Failure error={reddit.error} />
      </Section>
      <Section
        title="3. Choose your subreddit"
        {...(consent === undefined && { lead: 'The subreddits that you moderate appear here once you allow it.' })}
      >
        {isPending && <Loading what="your subreddits" lines={2} />}
        <Failure error={error} onRetry={() => void refetch()} />
        {consent !== undefined && <Subreddits consent={consent} link={reddit.link} />}
      </Section>
      <PasteToken />
    </>
  );
}

type Link = ReturnType<typeof useRedditConsent>['link'];

function Subreddits({ consent: { userName, subreddits }, link }: { consent: RedditConsent; link: Link }) {
  if (subreddits.length === 0)
    return <p className={styles.note}>u/{userName} moderates no subreddit. Use the account of a moderator.</p>;
  return (
    <>
      <ul className={styles.arrivals}>
        {subreddits.map(({ name, isLinked }) => (
          <li key={name}>
            <Row
              title={`r/${name}`}
              note={isLinked ? 'Linked already. Linking it again replaces the access.' : undefined}
              actions={
                <Button
                  variant={isLinked ? 'default' : 'filled'}
                  loading={link.isRunning}
                  onClick={() => link.run({ body: { name } })}
                  aria-label={`Link r/${name}`}
                >
                  {isLinked ? 'Link again' : 'Link'}
                </Button>
              }
            />
          </li>
        ))}
      </ul>
      <Failure error={link.error} />
    </>
  );
}
