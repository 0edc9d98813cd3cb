import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { ask, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { saveFile } from '../../shared/save-file.ts';
import { useSession } from '../../shared/session.ts';
import {
  ConfirmButton,
  EmptyState,
  Failure,
  Page,
  PagedList,
  QueryList,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { Applications } from './applications.tsx';
import { ChatAccounts } from './chat-accounts.tsx';
import styles from './me.module.css';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { Wallets } from './wallets.tsx';

/** What belongs to the user's account and every way to sign in to it, with buttons to remove them. */
export function View() {
  useLive('account');
  const { name, accountId, platform } = useSession();
  const where = platform === undefined ? '' : ` on ${platformName(platform)}`;
  return (
    <Page title="My account" lead={`You are signed in as ${name ?? accountId ?? 'the operator'}${where}.`}>
      <Wallets />
      <ChatAccounts />
      <Passkeys />
      <Authenticators />
      <Applications />
      <Sessions />
      <Signatures />
      <OwnData />
    </Page>
  );
}

const kinds = { message: 'Message', 'typed-data': 'Typed data', hash: 'Hash' } as const;

/** What the user's hosted wallet signed, and for which app. */
function Signatures() {
  const signatures = usePages('GET /latchkey/account/signatures', { limit: 10 });
  return (
    <Section title="Signed by your hosted wallet" lead="Everything that your hosted wallet has signed.">
      <PagedList
        pages={signatures}
        what="signatures"
        keyOf={({ id }) => id}
        empty={<EmptyState title="Nothing signed yet" />}
      >
        {({ kind, text, time, application }) => (
          <Row
            title={application === undefined ? 'Requested by you' : `Requested by ${application}`}
            states={<State>{kinds[kind]}</State>}
            note={
              <>
                <Time at={time} />
                <details>
                  <summary>Show what was signed</summary>
                  <pre className={styles.text}>{text}</pre>
                </details>
              </>
            }
          />
        )}
      </PagedList>
    </Section>
  );
}

const list = 'GET /latchkey/account/authenticators';

/** Authenticator apps, whose codes approve what a hosted wallet signs. */
function Authenticators() {
  const apps = useOperation(list, {});
  const remove = useAction('DELETE /latchkey/account/authenticators/{requestId}', {
    done: 'Authenticator removed.',
    changes: [list],
  });
  return (
    <Section title="Authenticator apps" lead="Codes of these apps approve what your hosted wallet signs.">
      <QueryList
        read={apps}
        what="authenticator apps"
        lines={2}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No authenticator app">An app that uses your hosted wallet helps you add one.</EmptyState>
        }
      >
        {({ id, status, createdAt }) => (
          <Row
            title="Authenticator app"
            states={status === 'confirmed' ? <State tone="good">In use</State> : <State>Waits for a first code</State>}
            note={
              <>
                added <Time at={createdAt} />
              </>
            }
            actions={
              <ConfirmButton
                label="Remove"
                look={{ size: 'compact-sm' }}
                title="Remove this authenticator app?"
                yes="Remove app"
                isDangerous
                action={remove}
                onYes={() => remove.runAsync({ requestId: id })}
              >
                <p>Its codes no longer count.</p>
              </ConfirmButton>
            }
          />
        )}
      </QueryList>
    </Section>
  );
}

const word = 'erase';

/** Exporting all data, and deleting the account. */
function OwnData() {
  return (
    <Section title="Your data">
      <Export />
      <Erase />
    </Section>
  );
}

function Export() {
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const save = async () => {
    setIsRunning(true);
    setError(undefined);
    try {
      const data = await ask('GET /latchkey/account/export', {});
      saveFile('latchkey-my-data.json', 'application/json', [JSON.stringify(data, null, 2)]);
    } catch (problem) {
      setError(problem);
    }
    setIsRunning(false);
  };
  return (
    <>
      <Row
        title="Export"
        note="Everything stored about you, in one JSON file. Secrets such as keys are left out."
        actions={
          <Button variant="default" loading={isRunning} onClick={() => void save()}>
            Download my data
          </Button>
        }
      />
      <Failure error={error} />
    </>
  );
}

function Erase() {
  const [typed, setTyped] = useState('');
  const erase = useAction('DELETE /latchkey/account', { onDone: openAnew });
  const isMeant = typed.trim().toLowerCase() === word;
  return (
    <Row
      title="Erase my account"
      note="Deletes your wallets, passkeys, sessions and roles for good. Communities you own pass to another admin."
      actions={
        <ConfirmButton
          label="Erase my account"
          look={{ variant: 'light', color: 'red' }}
          title="Erase your account?"
          yes="Erase my account"
          isDangerous
          action={erase}
          onYes={() => (isMeant ? erase.runAsync({}) : undefined)}
        >
          <p>
            This cannot be undone. Roles that depend on your wallets are removed. Your organizations are deleted with
            their wallets, and your hosted wallet with its key. Move what they hold first.
          </p>
          <TextInput
            label={`Type ${word} to continue`}
            value={typed}
            autoComplete="off"
            error={typed !== '' && !isMeant && `Type the word ${word}.`}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </ConfirmButton>
      }
    />
  );
}
