import { chatPlatforms } from '@latchkey/kernel/chat-platforms';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { CopyText, Failure, Section } from '../../shared/ui/index.ts';
import styles from './new.module.css';

const scopes = 'identity mysubreddits read flair modflair modcontributors modmail privatemessages';

/** The second way: a token that the moderator got elsewhere, for the same application. */
export function PasteToken() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section
      title="Or paste a token"
      lead="If you have a permanent (refresh) token of a moderator for this server’s application on Reddit, with these permissions, you can link the subreddit with it. Latchkey asks Reddit whether the token fits, and keeps it encrypted."
      actions={
        !isOpen && (
          <Button variant="default" onClick={() => setIsOpen(true)}>
            Paste a token
          </Button>
        )
      }
    >
      {isOpen && (
        <>
          <CopyText text={scopes} what="the permissions" />
          <TokenForm />
        </>
      )}
    </Section>
  );
}

function TokenForm() {
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
  );
}
