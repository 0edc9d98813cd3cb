import { Alert, Button, Stack } from '@mantine/core';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlugConnectedX } from '../../shared/icons.tsx';
import { CopyText, Failure, List, Page, Query, Row, Section, State, type Tone } from '../../shared/ui/index.ts';

const read = 'GET /latchkey/operator/linked-roles';
type Registration = Answer<typeof read>;

const words: Readonly<Record<Registration['state'], { tone: Tone; text: string }>> = {
  registered: { tone: 'good', text: 'Registered with Discord' },
  outdated: { tone: 'warn', text: 'Discord has other values' },
  missing: { tone: 'warn', text: 'Not registered yet' },
  unknown: { tone: 'plain', text: 'Discord could not be reached' },
  'not-configured': { tone: 'plain', text: 'Not set up' },
};

/** Registers with Discord what admins can use in linked roles. */
export function View() {
  const registration = useOperation(read, {});
  const register = useAction('PUT /latchkey/operator/linked-roles', { changes: [read] });
  return (
    <Page
      title="Linked roles"
      lead="Discord can grant roles itself, based on values that Latchkey sends for members who consent. Admins create such roles in Discord."
    >
      <Query read={registration} what="the registration">
        {({ state, problem, verificationUrl, values }) => (
          <Stack gap="xl">
            <Section
              title="Registration"
              lead="Registers the values below, and the page where members connect. Running it again does no harm."
              actions={
                <>
                  <State tone={words[state].tone}>{words[state].text}</State>
                  {state !== 'not-configured' && (
                    <Button
                      variant={state === 'registered' ? 'default' : 'filled'}
                      loading={register.isRunning}
                      onClick={() => register.run({})}
                    >
                      {state === 'registered' ? 'Register again' : 'Register with Discord'}
                    </Button>
                  )}
                </>
              }
            >
              <Failure error={register.error} />
              {problem !== undefined && (
                <Alert color="gray" title="Discord could not be reached" icon={<IconPlugConnectedX />}>
                  {problem}
                </Alert>
              )}
              {state === 'not-configured' && (
                <Alert color="gray" title="What is missing" icon={<IconPlugConnectedX />}>
                  Set LATCHKEY_DISCORD_BOT_TOKEN, LATCHKEY_DISCORD_CLIENT_ID and LATCHKEY_DISCORD_CLIENT_SECRET, and
                  restart.
                </Alert>
              )}
              <Row
                title="Redirect address"
                note={
                  <>
                    Add it once in the Discord developer portal, under OAuth2 &gt; Redirects:{' '}
                    <CopyText text={verificationUrl} what="redirect address" />
                  </>
                }
              />
            </Section>
            <Section title="Values" lead="What an admin can ask for in a linked role, and what Discord receives.">
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
