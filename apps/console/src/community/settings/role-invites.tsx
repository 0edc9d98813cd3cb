import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { CopyText, Failure, List, Query, Row, Section, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

const route = 'GET /latchkey/communities/{communityId}/role-invites';
type Settings = Answer<typeof route>;

/** Invites by which holders arrive in a Discord server with their roles. */
export function RoleInvites({ communityId, platform }: { communityId: string; platform: string }) {
  return platform === 'discord' ? <ServerInvites communityId={communityId} /> : null;
}

function ServerInvites({ communityId }: { communityId: string }) {
  const [channelId, setChannelId] = useState<string | null>(null);
  const settings = useOperation(
    route,
    { communityId, ...(channelId !== null && { channelId }) },
    { keepsPrevious: true },
  );
  return (
    <Section title={t('roleInvites.title')} lead={t('roleInvites.lead')}>
      <Query read={settings} loading={t('roleInvites.loading')}>
        {(data) => <Fields communityId={communityId} data={data} chosen={channelId} onChoose={setChannelId} />}
      </Query>
    </Section>
  );
}

interface FieldsProps {
  communityId: string;
  data: Settings;
  chosen: string | null;
  onChoose(channelId: string | null): void;
}

function Fields({ communityId, data, chosen, onChoose }: FieldsProps) {
  const { isOn, channels, needs, link, open, used, problems } = data;
  const turnOn = useAction('PUT /latchkey/communities/{communityId}/role-invites', {
    done: t('roleInvites.turnedOn'),
    changes: [route],
  });
  const turnOff = useAction('DELETE /latchkey/communities/{communityId}/role-invites', {
    done: t('roleInvites.turnedOff'),
    changes: [route],
    onDone: () => onChoose(null),
  });
  const channelId = chosen ?? data.channelId ?? null;
  const missing = needs.filter(({ isGiven }) => !isGiven);
  const isChange = channelId !== null && channelId !== data.channelId;
  return (
    <>
      <Select
        label={t('roleInvites.channel')}
        description={t('roleInvites.channelHint')}
        data={channels.map(({ id, name }) => ({ value: id, label: `#${name}` }))}
        value={channelId}
        onChange={onChoose}
        placeholder={t('roleInvites.pickChannel')}
        searchable
        allowDeselect={false}
        maw={384}
      />
      <List items={needs} keyOf={({ permission }) => permission}>
        {({ permission, why, isGiven, remedy }) => (
          <Row
            title={permission}
            states={
              <State tone={isGiven ? 'good' : 'bad'}>{t(isGiven ? 'roleInvites.given' : 'roleInvites.missing')}</State>
            }
            note={remedy ?? why}
          />
        )}
      </List>
      {isOn && (
        <>
          <p>{t('roleInvites.counts', { open, used })}</p>
          <p>{t('roleInvites.linkLead')}</p>
          <CopyText text={link} what={t('roleInvites.link')} />
        </>
      )}
      {problems.map((problem) => (
        <p key={problem}>{t('roleInvites.problem', { problem })}</p>
      ))}
      <Failure error={turnOn.error ?? turnOff.error} />
      <div>
        {(!isOn || isChange) && (
          <Button
            disabled={!isChange || missing.length > 0}
            loading={turnOn.isRunning}
            onClick={() => channelId !== null && turnOn.run({ communityId, body: { channelId } })}
          >
            {t(isOn ? 'roleInvites.change' : 'roleInvites.turnOn')}
          </Button>
        )}{' '}
        {isOn && (
          <Button variant="default" loading={turnOff.isRunning} onClick={() => turnOff.run({ communityId })}>
            {t('roleInvites.turnOff')}
          </Button>
        )}
      </div>
    </>
  );
}
