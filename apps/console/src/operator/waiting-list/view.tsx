import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useAction, useOperation, usePages } from '../../shared/api/index.ts';
import {
  ConfirmButton,
  CopyText,
  EmptyState,
  Form,
  Page,
  PagedList,
  Query,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { formatUnits } from '../../shared/words.ts';
import { t } from '../messages/index.ts';

/** The waiting list: the signer that its contracts must trust, and who is invited without paying. */
export function View() {
  return (
    <Page title={t('waitingList.title')} lead={t('waitingList.lead')}>
      <Stack gap="xl">
        <ListState />
        <Guests />
      </Stack>
    </Page>
  );
}

const list = 'GET /latchkey/operator/waiting-list/guests' as const;

function Guests() {
  const guests = usePages(list, {});
  const invite = useAction('PUT /latchkey/operator/waiting-list/guests/{userId}', {
    done: t('guests.invited'),
    changes: [list],
    onDone: () => form.reset(),
  });
  const remove = useAction('DELETE /latchkey/operator/waiting-list/guests/{userId}', {
    done: t('guests.revoked'),
    changes: [list],
  });
  const form = useForm({ userId: '' }, invite.error);
  const userId = form.values.userId.trim();
  return (
    <Section title={t('guests.title')} lead={t('guests.lead')}>
      <Stack gap="md">
        <Form
          isInline
          submit={t('guests.invite')}
          canSubmit={userId !== ''}
          action={{ ...invite, error: invite.error ?? remove.error }}
          onSubmit={() => invite.run({ userId })}
        >
          <TextInput
            label={t('guests.person')}
            placeholder={t('guests.personPlaceholder')}
            required
            maxLength={128}
            {...form.text('userId')}
          />
        </Form>
        <PagedList
          pages={guests}
          loading={t('guests.loading')}
          more={t('guests.more')}
          keyOf={(guest) => guest.userId}
          empty={<EmptyState title={t('guests.emptyTitle')}>{t('guests.empty')}</EmptyState>}
        >
          {(guest) => (
            <Row
              title={guest.userId}
              note={t.rich('guests.invitedAt', { time: <Time key="time" at={guest.invitedTime} /> })}
              actions={
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={remove.isRunning}
                  onClick={() => remove.run({ userId: guest.userId })}
                >
                  {t('guests.revoke')}
                </Button>
              }
            />
          )}
        </PagedList>
      </Stack>
    </Section>
  );
}

const read = 'GET /latchkey/operator/waiting-list' as const;

function ListState() {
  const list = useOperation(read, {});
  const replace = useAction('POST /latchkey/operator/waiting-list/signer', { changes: [read] });
  return (
    <Query read={list} loading={t('waitingList.loading')}>
      {({ isOpen, priceWei, signer, contracts, members }) =>
        isOpen ? (
          <Section
            title={t('waitingList.list')}
            actions={
              <ConfirmButton
                label={t('waitingList.replace')}
                title={t('waitingList.replaceTitle')}
                yes={t('waitingList.replace')}
                isDangerous
                action={replace}
                onYes={() => replace.runAsync({})}
              >
                <Text>{t('waitingList.replaceLead')}</Text>
              </ConfirmButton>
            }
          >
            <Stack gap="xs">
              <Text component="div">
                <State tone="good">{t('waitingList.open')}</State>{' '}
                {t('waitingList.members', { count: members, price: formatUnits(priceWei ?? '0', 0) })}
              </Text>
              {signer !== undefined && (
                <Text component="div">
                  {t.rich('waitingList.signer', {
                    address: <CopyText key="address" text={signer} what={t('waitingList.signerWhat')} />,
                  })}
                </Text>
              )}
              {contracts.map((contract) => (
                <Text key={contract} size="sm" c="dimmed">
                  {t('waitingList.contract', { contract })}
                </Text>
              ))}
            </Stack>
          </Section>
        ) : (
          <EmptyState title={t('waitingList.noneTitle')}>{t('waitingList.none')}</EmptyState>
        )
      }
    </Query>
  );
}
