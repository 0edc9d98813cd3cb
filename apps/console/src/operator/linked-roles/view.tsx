import { Alert, Button, Stack } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlugConnectedX } from '../../shared/icons.ts';
import { CopyText, Failure, List, Page, Query, Row, Section, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

const read = 'GET /latchkey/operator/linked-roles';

const states = {
  registered: { tone: 'good', text: 'linkedRoles.registered' },
  outdated: { tone: 'warn', text: 'linkedRoles.outdated' },
  missing: { tone: 'warn', text: 'linkedRoles.missing' },
  unknown: { tone: 'plain', text: 'linkedRoles.unknown' },
  'not-configured': { tone: 'plain', text: 'linkedRoles.notConfigured' },
} as const;

/** Registers with Discord what admins can use in linked roles. */
export function View() {
  const registration = useOperation(read, {});
  const register = useAction('PUT /latchkey/operator/linked-roles', { changes: [read] });
  return (
    <Page title={t('linkedRoles.title')} lead={t('linkedRoles.lead')}>
      <Query read={registration} loading={t('linkedRoles.loading')}>
        {({ state, problem, verificationUrl, values }) => (
          <Stack gap="xl">
            <Section
              title={t('linkedRoles.registration')}
              lead={t('linkedRoles.registrationLead')}
              actions={
                <>
                  <State tone={states[state].tone}>{t(states[state].text)}</State>
                  {state !== 'not-configured' && (
                    <Button
                      variant={state === 'registered' ? 'default' : 'filled'}
                      loading={register.isRunning}
                      onClick={() => register.run({})}
                    >
                      {t(state === 'registered' ? 'linkedRoles.registerAgain' : 'linkedRoles.register')}
                    </Button>
                  )}
                </>
              }
            >
              <Failure error={register.error} />
              {problem !== undefined && (
                <Alert color="gray" title={t('linkedRoles.unknown')} icon={<IconPlugConnectedX />}>
                  {problem}
                </Alert>
              )}
              {state === 'not-configured' && (
                <Alert color="gray" title={t('linkedRoles.lacksTitle')} icon={<IconPlugConnectedX />}>
                  {t('linkedRoles.lacks')}
                </Alert>
              )}
              <Row
                title={t('linkedRoles.redirect')}
                note={t.rich('linkedRoles.redirectWhere', {
                  place: 'OAuth2 > Redirects',
                  address: <CopyText key="address" text={verificationUrl} what={t('linkedRoles.redirectWhat')} />,
                })}
              />
            </Section>
            <Section title={t('linkedRoles.values')} lead={t('linkedRoles.valuesLead')}>
              <List items={values} keyOf={({ key }) => key}>
                {({ name, description }) => <Row title={name} note={description} />}
              </List>
            </Section>
          </Stack>
        )}
      </Query>
    </Page>
  );
}
