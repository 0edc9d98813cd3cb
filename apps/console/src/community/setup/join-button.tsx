import { Anchor, Button, Checkbox, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconCircleCheck } from '../../shared/icons.ts';
import { Failure, Form, Query, Section, Time, useForm } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
import { t } from '../messages/index.ts';
import styles from './setup.module.css';

export const joinMessage = 'GET /latchkey/communities/{communityId}/join-message';
const setup = 'GET /latchkey/communities/{communityId}/setup';

type Join = Answer<typeof joinMessage>;

interface JoinButtonProps {
  communityId: string;
  /** Whether posting it is the next step of the page. */
  isNext: boolean;
  /** Whether the channel for admins is there already. */
  hasAdminChannel: boolean;
}

/** Has the bot post the button by which members link their wallets, in a channel that it creates or in one that exists. */
export function JoinButton({ communityId, isNext, hasAdminChannel }: JoinButtonProps) {
  const join = useOperation(joinMessage, { communityId });
  const post = useAction('PUT /latchkey/communities/{communityId}/join-message', {
    done: t('joinButton.done'),
    changes: [joinMessage, setup],
  });
  if (join.data?.isSupported === false) return null;
  const send: ChooseProps['send'] = (body) => post.run({ communityId, body });
  return (
    <Section title={t('joinButton.title')} lead={leadOf(join.data)}>
      <Query read={join} loading={t('joinButton.loading')} lines={2}>
        {(data) =>
          data.isPosted ? (
            <Posted join={data} problem={post.answer?.problem} post={{ ...post, again: () => send({}) }} />
          ) : data.platform === 'discord' ? (
            <Choose join={data} {...{ isNext, hasAdminChannel, post, send }} />
          ) : (
            <Form submit={t('joinButton.postAndPin')} isQuiet={!isNext} action={post} onSubmit={() => send({})} />
          )
        }
      </Query>
    </Section>
  );
}

function leadOf(join: Join | undefined): string {
  if (join?.isPosted) return t('joinButton.postedLead');
  return join?.platform === 'telegram' ? t('joinButton.telegramLead') : t('joinButton.lead');
}

type Post = ReturnType<typeof useAction<'PUT /latchkey/communities/{communityId}/join-message'>>;

/** One line, since nothing is left to do; the message can be brought back if someone deleted it. */
function Posted({ join, problem, post }: { join: Join; problem: string | undefined; post: Post & { again(): void } }) {
  const link = webLink(join.link);
  const name = `${join.platform === 'discord' ? '#' : ''}${join.channelName ?? platformName(join.platform)}`;
  const place = (
    <bdi key="place" title={name}>
      {name}
    </bdi>
  );
  return (
    <>
      <p className={styles.done}>
        <IconCircleCheck size={20} aria-hidden="true" />
        <span>
          {join.postedTime === undefined
            ? t.rich('joinButton.postedIn', { place })
            : t.rich('joinButton.postedInAt', {
                place,
                time: <Time key="time" at={join.postedTime} isRelative />,
              })}
        </span>
        {link !== undefined && (
          <Anchor href={link} target="_blank" rel="noopener noreferrer">
            {t('joinButton.see')}
          </Anchor>
        )}
        <Button size="compact-sm" variant="subtle" loading={post.isRunning} onClick={post.again}>
          {t('joinButton.postAgain')}
        </Button>
      </p>
      {problem !== undefined && (
        <Text size="sm" role="status">
          {problem}
        </Text>
      )}
      <Failure error={post.error} />
    </>
  );
}

interface ChooseProps extends Omit<JoinButtonProps, 'communityId'> {
  join: Join;
  post: Post;
  send(body: { channelName?: string; channelId?: string; createsAdminChannel?: boolean }): void;
}

/** A new channel, or one that exists where the bot cannot create one or the admin prefers it. */
function Choose({ join, isNext, hasAdminChannel, post, send }: ChooseProps) {
  const [chosen, setChosen] = useState<boolean>();
  const usesExisting = chosen ?? !join.canCreateChannel;
  const form = useForm({ name: join.defaultName ?? '', channelId: '', withAdmins: !hasAdminChannel }, post.error);
  const { name, channelId, withAdmins } = form.values;
  const permissionLink = webLink(join.permissionLink);
  return (
    <>
      {join.problem !== undefined && (
        <Text size="sm">
          {join.problem}{' '}
          {permissionLink !== undefined && (
            <Anchor href={permissionLink} target="_blank" rel="noopener noreferrer">
              {t('joinButton.allow')}
            </Anchor>
          )}
        </Text>
      )}
      <Form
        submit={usesExisting ? t('joinButton.post') : t('joinButton.createAndPost')}
        isQuiet={!isNext}
        action={post}
        canSubmit={usesExisting ? channelId !== '' : name.trim() !== ''}
        onSubmit={() =>
          usesExisting ? send({ channelId }) : send({ channelName: name.trim(), createsAdminChannel: withAdmins })
        }
        buttons={
          join.canCreateChannel && (
            <Button variant="subtle" onClick={() => setChosen(!usesExisting)}>
              {usesExisting ? t('joinButton.createNew') : t('joinButton.useExisting')}
            </Button>
          )
        }
      >
        {usesExisting ? (
          <Select
            label={t('joinButton.channel')}
            placeholder={t('joinButton.chooseChannel')}
            searchable
            nothingFoundMessage={t('joinButton.noChannel')}
            className={styles.field}
            data={join.channels.map(({ id, name, canPost }) => ({
              value: id,
              label: canPost ? `#${name}` : t('joinButton.closedChannel', { channel: `#${name}` }),
              disabled: !canPost,
            }))}
            value={channelId === '' ? null : channelId}
            onChange={(id) => form.set({ channelId: id ?? '' })}
          />
        ) : (
          <>
            <TextInput
              label={t('joinButton.newChannel')}
              description={t('joinButton.newChannelHint')}
              maxLength={100}
              className={styles.field}
              {...form.text('name')}
            />
            {!hasAdminChannel && (
              <Checkbox
                label={t('joinButton.adminChannel', { channel: '#latchkey-config' })}
                checked={withAdmins}
                onChange={(event) => form.set({ withAdmins: event.currentTarget.checked })}
              />
            )}
          </>
        )}
      </Form>
    </>
  );
}
