import { Button } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { ConfirmButton, EmptyState, Failure, QueryList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { type MessageId, t } from '../messages/index.ts';

const list = 'GET /latchkey/account/sessions';

export function Sessions() {
  const sessions = useOperation(list, {});
  const end = useAction('DELETE /latchkey/account/sessions/{id}', { done: t('sessions.ended'), changes: [list] });
  const endAll = useAction('DELETE /latchkey/account/sessions', { onDone: openAnew });
  return (
    <Section
      title={t('sessions.title')}
      lead={t('sessions.lead')}
      actions={
        <ConfirmButton
          label={t('sessions.endAll')}
          title={t('sessions.endAllTitle')}
          yes={t('sessions.endAll')}
          isDangerous
          action={endAll}
          onYes={() => endAll.runAsync({})}
        >
          <p>{t('sessions.endAllAbout')}</p>
        </ConfirmButton>
      }
    >
      <QueryList
        read={sessions}
        loading={t('sessions.loading')}
        lines={2}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('sessions.none')} />}
      >
        {(session) => (
          <Row
            title={t(kinds[session.kind] ?? 'sessionKind.other')}
            states={session.isCurrent && <State tone="good">{t('sessions.current')}</State>}
            note={t.rich('sessions.sinceUntil', {
              since: <Time key="since" at={session.createdTime} />,
              until: <Time key="until" at={session.expiresTime} />,
            })}
            actions={
              !session.isCurrent && (
                <Button size="compact-sm" variant="default" onClick={() => end.run({ id: session.id })}>
                  {t('sessions.end')}
                </Button>
              )
            }
          />
        )}
      </QueryList>
      <Failure error={end.error} />
    </Section>
  );
}

const kinds: Readonly<Record<string, MessageId & `sessionKind.${string}`>> = {
  'console-session': 'sessionKind.console',
  'wallet-session': 'sessionKind.wallet',
  'passkey-session': 'sessionKind.passkey',
  'chat-session': 'sessionKind.chat',
  'connect-link': 'sessionKind.connectLink',
  'consent-token': 'sessionKind.consent',
  'identity-token': 'sessionKind.identity',
  'operator-token': 'sessionKind.operator',
};
