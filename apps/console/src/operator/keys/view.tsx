import { Stack, Text } from '@mantine/core';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, Page, QueryList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { OperatorKeys } from './operator-keys.tsx';

export function View() {
  useLive('operator');
  return (
    <Page title={t('keys.title')} lead={t('keys.lead')}>
      <Stack gap="xl">
        <OperatorKeys />
        <SigningKeys />
        <MasterKeys />
      </Stack>
    </Page>
  );
}

/** The master keys of the responding server, by their fingerprints. */
function MasterKeys() {
  const keys = useOperation('GET /latchkey/operator/master-keys', {});
  return (
    <Section title={t('masterKeys.title')} lead={t('masterKeys.lead')}>
      <QueryList read={keys} loading={t('masterKeys.loading')} keyOf={({ id }) => id}>
        {({ id, fingerprint, state }) => (
          <Row
            title={id}
            states={
              state === 'current' ? (
                <State tone="good">{t('masterKeys.current')}</State>
              ) : (
                <State>{t('masterKeys.older')}</State>
              )
            }
            note={t('masterKeys.fingerprint', { fingerprint })}
          />
        )}
      </QueryList>
    </Section>
  );
}

type Key = Answer<'GET /latchkey/operator/signing-keys'>[number];
const list = 'GET /latchkey/operator/signing-keys' as const;

/** What a purpose is called in the messages. */
const uses = { jwt: 'tokens', 'jwt-rs256': 'rsaTokens', 'action-ecdsa': 'ecdsa', 'action-ed25519': 'ed25519' } as const;

/** The signing keys of this server, their phases, and rotation. */
function SigningKeys() {
  const keys = useOperation(list, {});
  const rotate = useAction('POST /latchkey/operator/signing-keys/{purpose}/rotate', {
    done: t('signingKeys.rotated'),
    changes: [list],
  });
  const wasRotated = (wanted: Key['purpose']) =>
    keys.data?.some(({ purpose, state }) => purpose === wanted && state === 'retired') ?? false;
  return (
    <Section title={t('signingKeys.title')} lead={t('signingKeys.lead')}>
      <QueryList read={keys} loading={t('signingKeys.loading')} keyOf={({ keyId }) => keyId}>
        {({ keyId, purpose, state, createdTime, retiredTime, deletedTime }) => (
          <Row
            title={t(`signingKeys.${uses[purpose]}`)}
            states={
              state === 'signing' ? (
                <State tone="good">{t('signingKeys.signsNow')}</State>
              ) : (
                <State>{t('signingKeys.retired')}</State>
              )
            }
            note={
              <>
                {retiredTime === undefined || deletedTime === undefined
                  ? t.rich('signingKeys.since', { time: <Time key="time" at={createdTime} /> })
                  : t.rich('signingKeys.sinceUntil', {
                      time: <Time key="time" at={createdTime} />,
                      retired: <Time key="retired" at={retiredTime} />,
                      deleted: <Time key="deleted" at={deletedTime} />,
                    })}
                <br />
                {keyId}
              </>
            }
            actions={
              state === 'signing' && (
                <ConfirmButton
                  label={t('signingKeys.rotate')}
                  look={{
                    size: 'compact-sm',
                    'aria-label': t('signingKeys.rotateNamed', { purpose: t(`signingKeys.${uses[purpose]}`) }),
                  }}
                  title={t('signingKeys.rotateTitle', { use: uses[purpose] })}
                  yes={t('signingKeys.rotateYes')}
                  action={rotate}
                  onYes={() => rotate.runAsync({ purpose })}
                >
                  <Text>{t('signingKeys.rotateLead')}</Text>
                  {wasRotated(purpose) && <Text c="red">{t('signingKeys.rotatedLately')}</Text>}
                </ConfirmButton>
              )
            }
          />
        )}
      </QueryList>
    </Section>
  );
}
