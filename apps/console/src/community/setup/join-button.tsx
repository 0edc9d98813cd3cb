import { Anchor, Button, Checkbox, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconCircleCheck } from '../../shared/icons.tsx';
import { Failure, Form, Query, Section, Time, useForm } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
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
    done: 'The join button is posted.',
    changes: [joinMessage, setup],
  });
  if (join.data?.isSupported === false) return null;
  const send: ChooseProps['send'] = (body) => post.run({ communityId, body });
  return (
    <Section title="Join button" lead={leadOf(join.data)}>
      <Query read={join} what="the join button" lines={2}>
        {(data) =>
          data.isPosted ? (
            <Posted join={data} problem={post.answer?.problem} post={{ ...post, again: () => send({}) }} />
          ) : data.platform === 'discord' ? (
            <Choose join={data} {...{ isNext, hasAdminChannel, post, send }} />
          ) : (
            <Form submit="Post and pin the message" isQuiet={!isNext} action={post} onSubmit={() => send({})} />
          )
        }
      </Query>
    </Section>
  );
}

function leadOf(join: Join | undefined): string {
  if (join?.isPosted) return 'Members link their wallets from here.';
  return join?.platform === 'telegram'
    ? 'The bot posts a message with a button in the group and pins it. Members press it to link their wallets.'
    : 'The bot posts a message with a button. Members press it to link their wallets and get their roles.';
}

type Post = ReturnType<typeof useAction<'PUT /latchkey/communities/{communityId}/join-message'>>;

/** One line, since nothing is left to do; the message can be brought back if someone deleted it. */
function Posted({ join, problem, post }: { join: Join; problem: string | undefined; post: Post & { again(): void } }) {
  const link = webLink(join.link);
  const place = `${join.platform === 'discord' ? '#' : ''}${join.channelName ?? platformName(join.platform)}`;
  return (
    <>
      <p className={styles.done}>
        <IconCircleCheck size={20} aria-hidden="true" />
        <span>
          Posted in <bdi title={place}>{place}</bdi>{' '}
          {join.postedTime !== undefined && <Time at={join.postedTime} isRelative />}
        </span>
        {link !== undefined && (
          <Anchor href={link} target="_blank" rel="noopener noreferrer">
            See it
          </Anchor>
        )}
        <Button size="compact-sm" variant="subtle" loading={post.isRunning} onClick={post.again}>
          Post again if it was deleted
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
              Allow it in Discord
            </Anchor>
          )}
        </Text>
      )}
      <Form
        submit={usesExisting ? 'Post the join button' : 'Create the channel and post'}
        isQuiet={!isNext}
        action={post}
        canSubmit={usesExisting ? channelId !== '' : name.trim() !== ''}
        onSubmit={() =>
          usesExisting ? send({ channelId }) : send({ channelName: name.trim(), createsAdminChannel: withAdmins })
        }
        buttons={
          join.canCreateChannel && (
            <Button variant="subtle" onClick={() => setChosen(!usesExisting)}>
              {usesExisting ? 'Create a new channel' : 'Use an existing channel'}
            </Button>
          )
        }
      >
        {usesExisting ? (
          <Select
            label="Channel"
            placeholder="Choose a channel"
            searchable
            nothingFoundMessage="No channel has this in its name"
            className={styles.field}
            data={join.channels.map(({ id, name, canPost }) => ({
              value: id,
              label: canPost ? `#${name}` : `#${name} (the bot cannot write there)`,
              disabled: !canPost,
            }))}
            value={channelId === '' ? null : channelId}
            onChange={(id) => form.set({ channelId: id ?? '' })}
          />
        ) : (
          <>
            <TextInput
              label="Name of the new channel"
              description="Members can read it and press the button, but not write in it."
              maxLength={100}
              className={styles.field}
              {...form.text('name')}
            />
            {!hasAdminChannel && (
              <Checkbox
                label="Also create #latchkey-config, which only admins see, for notices and commands"
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
