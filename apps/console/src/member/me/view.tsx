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
import { t } from '../messages/index.ts';
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
  const shown = name ?? accountId ?? t('me.operator');
  const lead =
    platform === undefined
      ? t('me.signedInAs', { name: shown })
      : t('me.signedInOn', { name: shown, platform: platformName(platform) });
  return (
    <Page title={t('me.title')} lead={lead}>
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

const kinds = {
  message: 'signatures.message',
  'typed-data': 'signatures.typedData',
  hash: 'signatures.hash',
} as const;

/** What the user's hosted wallet signed, and for which app. */
function Signatures() {
  const signatures = usePages('GET /latchkey/account/signatures', { limit: 10 });
  return (
    <Section title={t('signatures.title')} lead={t('signatures.lead')}>
      <PagedList
        pages={signatures}
        loading={t('signatures.loading')}
        more={t('signatures.more')}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('signatures.none')} />}
      >
        {({ kind, text, time, application }) => (
          <Row
            title={application === undefined ? t('signatures.byYou') : t('signatures.byApp', { application })}
            states={<State>{t(kinds[kind])}</State>}
            note={
              <>
                <Time at={time} />
                <details>
                  <summary>{t('signatures.show')}</summary>
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
    done: t('authenticators.removed'),
    changes: [list],
  });
  return (
    <Section title={t('authenticators.title')} lead={t('authenticators.lead')}>
      <QueryList
        read={apps}
        loading={t('authenticators.loading')}
        lines={2}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('authenticators.none')}>{t('authenticators.noneHow')}</EmptyState>}
      >
        {({ id, status, createdAt }) => (
          <Row
            title={t('authenticators.one')}
            states={
              status === 'confirmed' ? (
                <State tone="good">{t('authenticators.confirmed')}</State>
              ) : (
                <State>{t('authenticators.unconfirmed')}</State>
              )
            }
            note={t.rich('authenticators.added', { time: <Time key="time" at={createdAt} /> })}
            actions={
              <ConfirmButton
                label={t('common.remove')}
                look={{ size: 'compact-sm' }}
                title={t('authenticators.removeTitle')}
                yes={t('authenticators.removeYes')}
                isDangerous
                action={remove}
                onYes={() => remove.runAsync({ requestId: id })}
              >
                <p>{t('authenticators.removeAbout')}</p>
              </ConfirmButton>
            }
          />
        )}
      </QueryList>
    </Section>
  );
}

/** Exporting all data, and deleting the account. */
function OwnData() {
  return (
    <Section title={t('ownData.title')}>
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
        title={t('ownData.export')}
        note={t('ownData.exportAbout')}
        actions={
          <Button variant="default" loading={isRunning} onClick={() => void save()}>
            {t('ownData.exportYes')}
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
  const word = t('ownData.eraseWord');
  const isMeant = typed.trim().toLocaleLowerCase(t.locale) === word;
  return (
    <Row
      title={t('ownData.erase')}
      note={t('ownData.eraseAbout')}
      actions={
        <ConfirmButton
          label={t('ownData.erase')}
          look={{ variant: 'light', color: 'red' }}
          title={t('ownData.eraseTitle')}
          yes={t('ownData.erase')}
          isDangerous
          canSubmit={isMeant}
          action={erase}
          onYes={() => erase.runAsync({})}
        >
          <p>{t('ownData.eraseWarning')}</p>
          <TextInput
            label={t('ownData.typeWord', { word })}
            value={typed}
            autoComplete="off"
            error={typed !== '' && !isMeant && t('ownData.wrongWord', { word })}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </ConfirmButton>
      }
    />
  );
}
