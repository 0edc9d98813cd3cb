import { chatPlatforms } from '@latchkey/kernel/chat-platforms';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { CopyText, Failure, Form, List, Query, Row, Section, State, useForm } from '../../shared/ui/index.ts';
import { useConsent } from '../../shared/use-consent.ts';
import { t } from '../messages/index.ts';
import type { Invitation } from './invite-step.tsx';
import styles from './new.module.css';

const signIn = `/login/console/with/reddit?to=${encodeURIComponent('/console/communities/new?platform=reddit')}`;

/** Reddit has no bots to invite: a moderator authorizes this server to act for their own account. */
export function AddReddit({ invitation }: { invitation: Invitation }) {
  const { platform } = useSession();
  const isOnReddit = platform === 'reddit';
  const reddit = useRedditConsent();
  const consent = reddit.state.data?.consent;
  return (
    <>
      <Section
        title={t('new.redditSignInTitle')}
        lead={t('new.redditSignInLead', { rights: invitation.rightsToManage })}
        actions={
          isOnReddit ? (
            <State tone="good">{t('new.redditSignedIn')}</State>
          ) : (
            <Button component="a" href={signIn}>
              {t('new.redditSignIn')}
            </Button>
          )
        }
      >
        {!isOnReddit && <p className={styles.note}>{t('new.redditOtherAccount')}</p>}
      </Section>
      <Section
        title={t('new.redditAllowTitle')}
        lead={t('new.redditAllowLead')}
        actions={
          <>
            {consent !== undefined && <State tone="good">{t('new.redditAllowed', { name: consent.userName })}</State>}
            <Button
              variant={consent === undefined && isOnReddit ? 'filled' : 'default'}
              loading={reddit.isGoing}
              onClick={() => void reddit.goToReddit()}
            >
              {consent === undefined ? t('new.redditContinue') : t('new.redditUseOther')}
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
      <Section title={t('new.chooseSubreddit')} {...(consent === undefined && { lead: t('new.chooseSubredditLead') })}>
        <Query read={reddit.state} loading={t('new.loadingSubreddits')} lines={2}>
          {() => consent !== undefined && <Subreddits consent={consent} link={reddit.link} />}
        </Query>
      </Section>
      <PasteToken />
    </>
  );
}

type Link = ReturnType<typeof useRedditConsent>['link'];

function Subreddits({ consent: { userName, subreddits }, link }: { consent: RedditConsent; link: Link }) {
  if (subreddits.length === 0) return <p className={styles.note}>{t('new.noSubreddit', { name: userName })}</p>;
  return (
    <>
      <List items={subreddits} keyOf={({ name }) => name}>
        {({ name, isLinked }) => (
          <Row
            title={`r/${name}`}
            note={isLinked ? t('new.alreadyLinked') : undefined}
            actions={
              <Button
                variant={isLinked ? 'default' : 'filled'}
                loading={link.isRunning}
                onClick={() => link.run({ body: { name } })}
                aria-label={t('new.linkOne', { name })}
              >
                {isLinked ? t('new.linkAgain') : t('new.link')}
              </Button>
            }
          />
        )}
      </List>
      <Failure error={link.error} />
    </>
  );
}

const read = 'GET /latchkey/account/reddit-consent';
type RedditConsent = NonNullable<Answer<typeof read>['consent']>;

/** The user's consent on Reddit, the redirect there and back, and linking a subreddit with it. */
function useRedditConsent() {
  const navigate = useNavigate();
  const state = useOperation(read, {});
  const [note, setNote] = useState('');
  const begin = useAction('POST /latchkey/account/reddit-consent/attempts');
  const finish = useAction('POST /latchkey/account/reddit-consent', { changes: [read] });
  const link = useAction('POST /latchkey/account/reddit-consent/subreddits', {
    changes: [read, 'GET /latchkey/account/communities'],
    onDone: ({ communityId }) => void navigate({ to: '/communities/$communityId/setup', params: { communityId } }),
  });
  const goToReddit = useConsent({
    begin: () => {
      setNote('');
      finish.reset();
      return begin.runAsync({});
    },
    // It may have been saved although Reddit could not be reached for the subreddits.
    finish: (body) => void finish.runAsync({ body }).catch(() => state.refetch()),
    onDenied: () => setNote(t('new.redditDenied')),
  });
  return {
    state,
    note,
    goToReddit,
    isGoing: begin.isRunning || finish.isRunning,
    error: begin.error ?? finish.error,
    link,
  };
}

const scopes = 'identity mysubreddits read flair modflair modcontributors modmail privatemessages';

/** The alternative: a token that the moderator obtained elsewhere, for the same application. */
function PasteToken() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section
      title={t('new.tokenTitle')}
      lead={t('new.tokenLead')}
      actions={
        !isOpen && (
          <Button variant="default" onClick={() => setIsOpen(true)}>
            {t('new.pasteToken')}
          </Button>
        )
      }
    >
      {isOpen && (
        <>
          <CopyText text={scopes} what={t('new.permissions')} />
          <TokenForm />
        </>
      )}
    </Section>
  );
}

function TokenForm() {
  const navigate = useNavigate();
  const link = useAction('POST /reddit/community', {
    changes: ['GET /latchkey/account/communities'],
    onDone: ({ communityName = wanted }) =>
      void navigate({
        to: '/communities/$communityId/setup',
        params: { communityId: `${chatPlatforms.reddit.prefix}#COMM#${communityName}` },
      }),
  });
  const form = useForm({ name: '', token: '' }, link.error);
  const wanted = form.values.name.trim().replace(/^\/?r\//i, '');
  const token = form.values.token.trim();
  return (
    <Form
      submit={t('new.linkSubreddit')}
      canSubmit={wanted !== '' && token !== ''}
      action={link}
      onSubmit={() => link.run({ body: { communityName: wanted, botToken: token } })}
    >
      <TextInput
        label={t('new.subreddit')}
        placeholder={t('new.subredditExample')}
        autoComplete="off"
        maxLength={64}
        {...form.text('name')}
      />
      <PasswordInput label={t('new.refreshToken')} autoComplete="off" maxLength={2048} {...form.text('token')} />
    </Form>
  );
}
