import { type Press, type Pressed, press } from '../interactions/press.ts';
import { verifyEndpoint } from '../interactions/verify-endpoint.ts';
import { type Authorization, approve } from '../oauth/authorize.ts';
import type { Grants } from '../oauth/grants.ts';
import { can, permissionsOf } from '../permissions.ts';
import { createApplication, type NewApplication } from '../state/applications.ts';
import { openDirectChannel, postMessage } from '../state/messages.ts';
import type { Application, Message, Snowflake } from '../state/types.ts';
import type { World } from '../state/world.ts';

/** Acts as users and developers of the emulator's applications. */
export interface PeopleControl {
  /** Creates another application with a bot. Its public key verifies interactions. */
  createApplication(options?: NewApplication): Application;
  /** Sets the interactions endpoint. Throws if the endpoint fails Discord's check. */
  setInteractionsUrl(url: string | undefined, application?: Application): Promise<void>;
  /** Runs a command, presses a button or submits a form as a user, and waits for the first response. */
  press(what: Press): Promise<Pressed>;
  /** Posts to a channel as a user. */
  speak(userId: Snowflake, channelId: Snowflake, text: string): Message;
  /** Sends a direct message to a bot. */
  speakToBot(userId: Snowflake, text: string, application?: Application): Message;
  /** Returns everything that bots sent, oldest first, including ephemeral and deleted messages. */
  sentMessages(channelId?: Snowflake): readonly Message[];
  /** Returns what a bot sent to a user directly. */
  directMessages(userId: Snowflake, application?: Application): readonly Message[];
  /** A user approves on the consent page. Returns the redirect URL, which contains the code. */
  approveLogin(userId: Snowflake, request: Authorization): string;
  /** Returns every pair of tokens issued to users, oldest first. */
  grantedTokens(): readonly { accessToken: string; refreshToken: string }[];
}

export function createPeopleControl(world: World, ownApplication: Application, grants: Grants): PeopleControl {
  const getUser = (userId: Snowflake) => {
    const user = world.users.get(userId);
    if (user === undefined) throw new Error(`The emulator has no person ${userId}.`);
    return user;
  };
  return {
    createApplication: (options) => createApplication(world, options),
    setInteractionsUrl: async (url, application = ownApplication) => {
      const fault = url === undefined ? undefined : await verifyEndpoint(world, application, url);
      if (fault !== undefined) throw new Error(`The interactions endpoint could not be verified. ${fault}`);
      application.interactionsUrl = url;
    },
    press: (what) => press(world, ownApplication, what),
    speak: (userId, channelId, content) => {
      const channel = world.channels.get(channelId);
      const guild = world.guilds.get(channel?.guildId ?? '');
      const member = guild?.members.get(userId);
      if (channel === undefined || guild === undefined || member === undefined) {
        throw new Error(`The person ${userId} is not in the channel ${channelId}.`);
      }
      if (!can(permissionsOf(guild, member, channel), 'SEND_MESSAGES')) {
        throw new Error(`${member.user.username} cannot write in ${channel.name}.`);
      }
      return postMessage(world, channel, { author: member.user, content });
    },
    speakToBot: (userId, content, application = ownApplication) => {
      const author = getUser(userId);
      return postMessage(world, openDirectChannel(world, application, author), { author, content });
    },
    sentMessages: (channelId) =>
      channelId === undefined ? world.sent : world.sent.filter((message) => message.channelId === channelId),
    directMessages: (userId, application = ownApplication) => {
      const channel = world.directChannels.get(`${application.id} ${userId}`);
      return channel === undefined ? [] : [...channel.messages.values()];
    },
    approveLogin: (userId, request) => approve(world, grants, getUser(userId), request),
    grantedTokens: () => grants.given,
  };
}
