import type { ReactNode } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, EmptyState, Picture, QueryList, Row, Section, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

type Application = Answer<'GET /latchkey/account/applications'>[number];
const list = 'GET /latchkey/account/applications';

export function Applications() {
  const applications = useOperation(list, {});
  const revoke = useAction('DELETE /user-authorizations/{clientId}', {
    done: t('applications.revoked'),
    changes: [list],
  });
  return (
    <Section title={t('applications.title')} lead={t('applications.lead')}>
      <QueryList
        read={applications}
        loading={t('applications.loading')}
        lines={2}
        keyOf={({ clientId }) => clientId}
        empty={<EmptyState title={t('applications.none')} />}
      >
        {(application) => (
          <Row
            picture={<Picture name={application.name} />}
            title={application.name}
            note={permissionsOf(application)}
            actions={
              <ConfirmButton
                label={t('common.revoke')}
                look={{ size: 'compact-sm', 'aria-label': t('applications.revokeOne', { name: application.name }) }}
                title={t('applications.revokeTitle', { name: application.name })}
                yes={t('applications.revokeYes')}
                isDangerous
                action={revoke}
                onYes={() => revoke.runAsync({ clientId: application.clientId })}
              >
                <p>{t('applications.revokeAbout')}</p>
              </ConfirmButton>
            }
          />
        )}
      </QueryList>
    </Section>
  );
}

/** Since when it has access, and what it may do. The server says what each scope allows. */
function permissionsOf({ createdTime, scopes }: Application): ReactNode {
  const time = <Time key="time" at={createdTime} />;
  if (scopes.length === 0) return t.rich('applications.mayRecognize', { time });
  return t.rich('applications.may', { time, scopes: t.list(scopes.map(({ description }) => description)) });
}
