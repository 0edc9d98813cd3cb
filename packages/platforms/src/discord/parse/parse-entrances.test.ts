import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type APIExtendedInvite,
  type APIGuildIntegration,
  type APIGuildOnboarding,
  AutoModerationActionType,
  GuildOnboardingMode,
  GuildOnboardingPromptType,
  IntegrationExpireBehavior,
  InviteType,
  type RESTPutAPIGuildOnboardingJSONBody,
} from 'discord-api-types/v10';
import { parseIntegration, parseInvite, parseOnboarding, trimPrompts } from './parse-entrances.ts';

const emoji = { id: null, name: '🐱', animated: false };
const onboarding: APIGuildOnboarding = {
  guild_id: '1',
  default_channel_ids: ['7'],
  enabled: true,
  mode: GuildOnboardingMode.OnboardingDefault,
  prompts: [
    {
      id: '10',
      title: 'Who are you?',
      single_select: false,
      required: true,
      in_onboarding: true,
      type: GuildOnboardingPromptType.MultipleChoice,
      options: [
        { id: '11', title: 'A cat', description: 'Meow', emoji, channel_ids: ['7'], role_ids: ['8', '9'] },
        { id: '12', title: 'A whale', description: null, emoji, channel_ids: [], role_ids: ['9'] },
      ],
    },
    {
      id: '20',
      title: 'More?',
      single_select: true,
      required: false,
      in_onboarding: false,
      type: GuildOnboardingPromptType.Dropdown,
      options: [{ id: '21', title: 'Yes', description: null, emoji, channel_ids: [], role_ids: ['9'] }],
    },
  ],
};

test('a role is taken from one option, and everything else goes back as Discord takes it', () => {
  const { prompts } = onboarding;
  const trimmed = trimPrompts(onboarding, '11', '9') as unknown as RESTPutAPIGuildOnboardingJSONBody['prompts'];
  assert.equal(trimmed?.length, 2);
  const [first, second] = trimmed;
  assert.deepEqual(
    first?.options.map((option) => [option.id, option.title, option.role_ids, option.channel_ids]),
    [
      ['11', 'A cat', ['8'], ['7']],
      ['12', 'A whale', ['9'], []],
    ],
  );
  assert.deepEqual(
    [first.id, first.title, first.required, first.in_onboarding, first.single_select, first.type],
    ['10', 'Who are you?', true, true, false, prompts[0]?.type],
  );
  const [option] = first.options;
  assert.deepEqual(
    [option?.emoji_name, option?.emoji_id, option?.emoji_animated, option?.description],
    ['🐱', null, false, 'Meow'],
  );
  assert.ok(!('emoji' in Object(option)), 'Discord takes the emoji in separate fields');
  assert.deepEqual(
    second?.options.map(({ role_ids }) => role_ids),
    [['9']],
  );
});

test('an option that would give nothing goes, and with the last one its prompt', () => {
  const titles = (trimmed: unknown) =>
    (trimmed as APIGuildOnboarding['prompts']).map(({ title, options }) => [title, options.length]);
  assert.deepEqual(titles(trimPrompts(onboarding, '12', '9')), [
    ['Who are you?', 1],
    ['More?', 1],
  ]);
  assert.deepEqual(titles(trimPrompts(onboarding, '21', '9')), [['Who are you?', 2]]);
  assert.equal(trimPrompts(onboarding, '12', '8'), undefined, 'it does not give this role');
  assert.equal(trimPrompts(onboarding, '99', '9'), undefined);
});

test('onboarding, invites and integrations are read as Discord types them', () => {
  assert.deepEqual(parseOnboarding(onboarding).prompts[1], {
    id: '20',
    title: 'More?',
    options: [{ id: '21', title: 'Yes', roleIds: ['9'], channelIds: [] }],
  });
  const user = { id: '5', username: 'ann', discriminator: '0', global_name: 'Ann', avatar: null };
  const colors = { primary_color: 0, secondary_color: null, tertiary_color: null };
  const role = { id: '9', name: 'Whale', color: 0, colors, position: 1, icon: null, unicode_emoji: null };
  const invite: APIExtendedInvite = {
    code: 'aB-3',
    type: InviteType.Guild,
    channel: { id: '7', name: 'general', type: 0 },
    inviter: user,
    expires_at: '2026-03-01T00:00:00.000Z',
    created_at: '2026-02-01T00:00:00.000Z',
    uses: 2,
    max_uses: 0,
    max_age: 0,
    temporary: false,
    roles: [role],
  };
  assert.deepEqual(parseInvite(invite), {
    code: 'aB-3',
    roleIds: ['9'],
    creator: { id: '5', name: 'ann' },
    channelName: 'general',
    createdAt: new Date('2026-02-01'),
    expiresAt: new Date('2026-03-01'),
    uses: 2,
    maxUses: 0,
  });
  const integration: APIGuildIntegration = {
    id: '30',
    name: 'catstream',
    type: 'twitch',
    enabled: true,
    role_id: '9',
    expire_behavior: IntegrationExpireBehavior.RemoveRole,
    account: { id: 'x', name: 'catstream' },
    user,
  };
  assert.deepEqual(parseIntegration(integration), {
    id: '30',
    name: 'catstream',
    type: 'twitch',
    roleId: '9',
    creator: { id: '5', name: 'ann' },
  });
});

test('what cannot be read is refused as a whole, since it may be what gives a role', () => {
  for (const invite of [{}, { code: 'a/../b', roles: [] }, { code: 'ok', roles: 'all' }, { code: 'ok', roles: [{}] }])
    assert.throws(() => parseInvite(invite), { name: 'Malformed' });
  for (const broken of [{}, { enabled: true }, { enabled: true, prompts: [{ id: '1', title: 'x', options: [{}] }] }])
    assert.throws(() => parseOnboarding(broken), { name: 'Malformed' });
  assert.throws(() => parseIntegration({ id: '1', name: 'x', type: 'twitch', role_id: 7 }), { name: 'Malformed' });
});

test('AutoMod gives no role: Discord has no action for it', () => {
  const actions = Object.values(AutoModerationActionType).filter((value) => typeof value === 'string');
  assert.deepEqual(actions, ['BlockMessage', 'SendAlertMessage', 'Timeout', 'BlockMemberInteraction']);
});
