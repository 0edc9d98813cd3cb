import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, ask, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { useSession } from '../../shared/session.ts';
import {
  ConfirmDialog,
  EmptyState,
  Failure,
  Page,
  PagedList,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { Applications } from './applications.tsx';
import { ChatAccounts } from './chat-accounts.tsx';
import styles from './me.module.css';
import { Passkeys } from './passkeys.tsx';
import { Rows } from './rows.tsx';
import { Sessions } from './sessions.tsx';
import { Wallets } from './wallets.tsx';

/** Where a person sees what belongs to their account and every way in to it, and ends what they do not want. */
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

/** What the hosted wallet of the person signed, and for whom. */
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

type Authenticator = Answer<'GET /latchkey/account/authenticators'>[number];
const list = 'GET /latchkey/account/authenticators';

/** Authenticator apps, whose codes approve what a hosted wallet signs. */
function Authenticators() {
  const apps = useOperation(list, {});
  const [leaving, setLeaving] = useState<Authenticator>();
  const remove = useAction('DELETE /latchkey/account/authenticators/{requestId}', {
    changes: [list],
    onDone: () => setLeaving(undefined),
  });
  return (
    <Section title="Authenticator apps" lead="Codes of these apps approve what your hosted wallet signs.">
      <Rows
        query={apps}
        what="authenticator apps"
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
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => setLeaving(apps.data?.find((app) => app.id === id))}
              >
                Remove
              </Button>
            }
          />
        )}
      </Rows>
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title="Remove this authenticator app?"
        yes="Remove app"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => leaving && remove.run({ requestId: leaving.id })}
        onNo={() => {
          setLeaving(undefined);
          remove.reset();
        }}
      >
        <p>Its codes no longer count.</p>
      </ConfirmDialog>
    </Section>
  );
}

const word = 'erase';

/** Taking everything along, and leaving for good. */
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
      saveFile('latchkey-my-data.json', JSON.stringify(data, null, 2));
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

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

function Erase() {
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const erase = useAction('DELETE /latchkey/account', { onDone: openAnew });
  const isMeant = typed.trim().toLowerCase() === word;
  return (
    <>
      <Row
        title="Erase my account"
        note="Deletes your wallets, passkeys, sessions and roles for good. Communities you own pass to another admin."
        actions={
          <Button variant="light" color="red" onClick={() => setIsOpen(true)}>
            Erase my account
          </Button>
        }
      />
      <ConfirmDialog
        isOpen={isOpen}
        title="Erase your account?"
        yes="Erase my account"
        isDangerous
        isRunning={erase.isRunning}
        error={erase.error}
        onYes={() => isMeant && erase.run({})}
        onNo={() => {
          setIsOpen(false);
          setTyped('');
          erase.reset();
        }}
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
      </ConfirmDialog>
    </>
  );
}
