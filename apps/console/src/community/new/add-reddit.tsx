import { chatPlatforms } from '@latchkey/kernel/chat-platforms';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { CopyText, Failure, Section, State } from '../../shared/ui/index.ts';
import type { Invitation } from './invite-step.tsx';
import styles from './new.module.css';

const scopes = 'identity mysubreddits read flair modflair modcontributors modmail privatemessages';

/** Reddit has no bots to invite: a moderator lends this server a permanent token of their own account. */
export function AddReddit({ invitation }: { invitation: Invitation }) {
  const { platform } = useSession();
  const isOnReddit = platform === 'reddit';
  return (
    <>
      <Section
        title="1. Sign in with Reddit"
        lead={`Only a moderator can link a subreddit: somebody with ${invitation.rightsToManage}. Sign in here with that moderator’s Reddit account.`}
        actions={isOnReddit ? <State tone="good">Signed in with Reddit</State> : <State tone="warn">Not yet</State>}
      >
        {!isOnReddit && (
          <p className={styles.note}>
            You are signed in with another account. Log out in the menu at the top, choose Reddit to sign in, and come
            back to this page.
          </p>
        )}
      </Section>
      <Section
        title="2. Get a permanent token"
        lead="As that moderator, allow the application that the operator of this server made on Reddit, with permanent access and these permissions. Ask the operator for the link. The answer holds a refresh token."
      >
        <CopyText text={scopes} what="the permissions" />
        <dl className={styles.permissions}>
          {invitation.permissions.map(({ name, reason }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <LinkSubreddit />
    </>
  );
}

function LinkSubreddit() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [token, setToken] = useState('');
  const link = useAction('POST /reddit/community', {
    changes: ['GET /latchkey/account/communities'],
    onDone: ({ communityName = name }) =>
      void navigate({
        to: '/communities/$communityId/setup',
        params: { communityId: `${chatPlatforms.reddit.prefix}#COMM#${communityName}` },
      }),
  });
  const wanted = name.trim().replace(/^\/?r\//i, '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    link.run({ body: { communityName: wanted, botToken: token.trim() } });
  };
  return (
    <Section title="3. Link the subreddit" lead="Reddit is asked whether the token fits. It is then kept encrypted.">
      <form onSubmit={submit}>
        <Stack gap="md" className={styles.form}>
          <TextInput
            label="Subreddit"
            placeholder="r/cats"
            autoComplete="off"
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label="Refresh token"
            autoComplete="off"
            maxLength={2048}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          <Failure error={link.error} />
          <div>
            <Button type="submit" loading={link.isRunning} disabled={wanted === '' || token.trim() === ''}>
              Link subreddit
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  );
}
