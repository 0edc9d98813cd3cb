import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discordIntents, discordPermissions, permissionNames, rulingPermissions } from '@latchkey/core/ports';
import { GatewayIntentBits, PermissionFlagsBits } from 'discord-api-types/v10';

/** An old name of Manage Expressions, with the same bit. */
const { ManageEmojisAndStickers, ...current } = PermissionFlagsBits;
const named: readonly (readonly [string, bigint])[] = Object.entries(current);

/**
 * Permissions that a rule may give: what members do for themselves, and what concerns voice channels only. Discord
 * requires two-factor authentication for none of them.
 */
const harmless = [
  ['CreateInstantInvite', 'AddReactions', 'ViewAuditLog', 'PrioritySpeaker', 'Stream', 'ViewChannel', 'SendMessages'],
  ['SendTTSMessages', 'EmbedLinks', 'AttachFiles', 'ReadMessageHistory', 'UseExternalEmojis', 'ViewGuildInsights'],
  ['Connect', 'Speak', 'MuteMembers', 'DeafenMembers', 'MoveMembers', 'UseVAD', 'ChangeNickname'],
  ['UseApplicationCommands', 'RequestToSpeak', 'CreatePublicThreads', 'CreatePrivateThreads', 'UseExternalStickers'],
  ['SendMessagesInThreads', 'UseEmbeddedActivities', 'UseSoundboard', 'CreateGuildExpressions', 'CreateEvents'],
  ['UseExternalSounds', 'SendVoiceMessages', 'SetVoiceChannelStatus', 'SendPolls', 'UseExternalApps'],
  // Split off from Manage Messages and Manage Threads, without their power over what others wrote.
  ['PinMessages', 'BypassSlowmode'],
].flat();

/** For these, Discord asks moderators for two-factor authentication: https://docs.discord.com/developers/topics/permissions. */
const withTwoFactors = [
  ['KickMembers', 'BanMembers', 'Administrator', 'ManageChannels', 'ManageGuild', 'ManageMessages', 'ManageRoles'],
  ['ManageWebhooks', 'ManageGuildExpressions', 'ManageThreads', 'ViewCreatorMonetizationAnalytics'],
].flat();

test('every permission of Discord has a name here and is either harmless or one that rules never give', () => {
  assert.equal(ManageEmojisAndStickers, current.ManageGuildExpressions);
  for (const [name, bit] of named) {
    assert.deepEqual(permissionNames(String(bit)), [name], 'a new permission has to be named');
    const isRuling = rulingPermissions(String(bit)).length > 0;
    assert.equal(isRuling, !harmless.includes(name), `${name} has to be classified`);
  }
  const known = named.map(([name]) => name);
  assert.deepEqual(
    harmless.filter((name) => !known.includes(name)),
    [],
  );
});

test('rules never give a permission for which Discord requires two-factor authentication', () => {
  const bits = named.filter(([name]) => withTwoFactors.includes(name)).reduce((sum, [, bit]) => sum | bit, 0n);
  assert.deepEqual(rulingPermissions(String(bits)).toSorted(), withTwoFactors.toSorted());
});

test('the bits of permissions that are used are Discord’s', () => {
  for (const [name, bit] of Object.entries(discordPermissions)) assert.equal(Object(current)[name], bit, name);
});

test('the intents are Discord’s, and those that Discord reviews are marked', () => {
  const reviewed = ['GuildMembers', 'GuildPresences', 'MessageContent'];
  for (const [name, { bit, isPrivileged }] of Object.entries(discordIntents)) {
    assert.equal(Object(GatewayIntentBits)[name], bit, name);
    assert.equal(isPrivileged, reviewed.includes(name), name);
  }
});
