import { until } from '@latchkey/test-kit';
import { guildId, newcomerId, type SampleServer } from '../sample-server.ts';
import { messagePage } from './message-page.ts';

export interface ChatMessage {
  /** Who sees it, if not everybody. */
  isPrivate: boolean;
  /** What somebody typed or pressed to get it. */
  command?: string;
  text: string;
  buttons: string[];
  links: string[];
}

interface SeenMessage {
  id: string;
  content: string;
  flags: number;
  components: { components: { label: string; url?: string }[] }[];
}

const ownerId = '200000000000000000';
const onlyForThem = 64;
const stillThinking = 128;

const asked = {
  join: { userId: ownerId, command: 'latchkey setup' },
  connect: { userId: newcomerId, command: 'latchkey join' },
  roles: { userId: '200000000000000001', command: 'latchkey roles' },
} as const;

/** Types a command in the simulator of Discord, and waits for what the bot really says; or reads what it said by itself. */
export async function askBot(sample: SampleServer, what: keyof typeof asked | 'held'): Promise<ChatMessage> {
  if (what === 'held') return until('the bot has told of the change', () => findHeld(sample));
  const { userId, command } = asked[what];
  const guild: { channels: { id: string; name: string }[] } = await ask(sample, `/emulator/guilds/${guildId}`);
  const channelId = guild.channels.find(({ name }) => name.endsWith('join'))?.id;
  const { message } = await ask<{ message: SeenMessage }>(sample, '/emulator/press', { userId, channelId, command });
  return until('the bot has answered', async () => {
    const now = (await sent(sample)).find(({ id }) => id === message.id);
    return now === undefined || (now.flags & stillThinking) !== 0 ? undefined : toMessage(now, `/${command}`);
  });
}

async function findHeld(sample: SampleServer): Promise<ChatMessage | undefined> {
  const held = (await sent(sample)).find(({ content }) => content.includes('needs your approval'));
  return held && toMessage(held);
}

const sent = (sample: SampleServer) => ask<SeenMessage[]>(sample, '/emulator/messages');

async function ask<Answer>({ discordUrl }: SampleServer, path: string, body?: unknown): Promise<Answer> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${discordUrl}${path}`, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function toMessage({ content, flags, components }: SeenMessage, command?: string): ChatMessage {
  const buttons = components.flatMap((row) => row.components);
  return {
    isPrivate: (flags & onlyForThem) !== 0,
    ...(command !== undefined && { command }),
    text: content,
    buttons: buttons.map(({ label }) => label),
    links: buttons.flatMap(({ url }) => url ?? []),
  };
}

/** The message as a chat shows it. Ids, times and the address of the server are the same on every run. */
export function showMessage(message: ChatMessage): string {
  const [, id = ''] = /\/plans\/([\w-]+)/.exec(message.text) ?? [];
  const same = (text: string) =>
    text
      .replaceAll(id === '' ? '\0' : id, 'pK3vR8sTn2Wq5YzB7cDfG')
      .replaceAll(id === '' ? '\0' : id.slice(0, 6), 'pK3vR8')
      .replaceAll(/http:\/\/localhost:\d+/g, 'https://latchkey.example.org')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '2026-11-02 09:41 UTC');
  return messagePage({ ...message, text: same(message.text), buttons: message.buttons.map(same) });
}
