import { choosePerson, escapeHtml, writePage } from '../http/html.ts';
import type { TelegramControl } from './control.ts';
import { keyboardOf } from './methods/messages.ts';
import type { Bot, Message } from './types.ts';
import type { World } from './world.ts';

/** A page for a browser, in the place of Telegram's own clients. */
export interface Page {
  status: number;
  html?: string;
  location?: string;
}

const linkPath = /^\/(\w{5,32})$/;
const chatPath = /^\/emulator\/conversations\/(\w+)\/(\d+)$/;

/** Serves what t.me links lead to, and conversations with bots. Undefined for what is no page. */
export function answerPage(
  { world, control }: { world: World; control: TelegramControl },
  { method, url, fields }: { method: string; url: URL; fields: Readonly<Record<string, unknown>> },
): Page | undefined {
  const [, linked] = linkPath.exec(url.pathname) ?? [];
  const bot = linked === undefined ? undefined : botOf(world, linked);
  if (bot !== undefined) return method === 'POST' ? start(bot, control, url, fields) : showLink(bot, world);
  const [, named = '', person = ''] = chatPath.exec(url.pathname) ?? [];
  const other = botOf(world, named);
  return other && showConversation(other, Number(person), world);
}

function botOf(world: World, name: string): Bot | undefined {
  return world.bots.values().find(({ user }) => user.username?.toLowerCase() === name.toLowerCase());
}

/** https://t.me/<bot>?start=…: Telegram's app opens the conversation, and its button sends the command. */
function showLink(bot: Bot, world: World): Page {
  const people = world.users.values().filter(({ isBot }) => !isBot);
  const form = choosePerson(
    people.map(({ id, firstName }) => ({ id: String(id), name: firstName })),
    [{ text: 'Start', decision: 'start' }],
  );
  const text = `<p>This is an emulator of Telegram. The button opens a conversation with the bot.</p>`;
  return { status: 200, html: writePage(`${bot.user.firstName} @${bot.user.username}`, `${text}\n${form}`) };
}

function start(bot: Bot, control: TelegramControl, url: URL, fields: Readonly<Record<string, unknown>>): Page {
  const argument = url.searchParams.get('start') ?? '';
  const person = Number(fields.user);
  if (!/^[\w-]{0,64}$/.test(argument))
    return { status: 400, html: writePage('Telegram', '<p>This link is wrong.</p>') };
  control.speakToBot(person, `/start ${argument}`.trim(), bot);
  return { status: 303, location: `/emulator/conversations/${bot.user.username}/${person}` };
}

function showConversation(bot: Bot, person: number, world: World): Page {
  const messages = [...(bot.direct.get(person)?.messages.values() ?? [])];
  const name = world.users.get(person)?.firstName ?? 'nobody';
  const isWaiting = messages.at(-1)?.from.isBot === false;
  const refresh = isWaiting ? '<meta http-equiv="refresh" content="1">' : '';
  const body = messages.map(showMessage).join('\n');
  return { status: 200, html: writePage(`${bot.user.firstName} and ${name}`, body, refresh) };
}

function showMessage({ from, text, replyMarkup }: Message): string {
  const buttons = keyboardOf(replyMarkup).flat().map(showButton).join(' ');
  const lines = escapeHtml(text).replaceAll('\n', '<br>');
  return `<article><b>${escapeHtml(from.firstName)}</b><p>${lines}</p>${buttons}</article>`;
}

/** Only links can be pressed on a page; other buttons need the control of the emulator. */
function showButton(button: unknown): string {
  const { text, url } = Object(button) as { text?: unknown; url?: unknown };
  if (typeof url !== 'string') return `<button disabled>${escapeHtml(String(text))}</button>`;
  return `<a href="${escapeHtml(url)}">${escapeHtml(String(text))}</a>`;
}
