import type { SnapshotProposal, TelegramPost } from '../../ports/index.ts';
import type { SnapshotEventName } from './snapshot.ts';

const headlines: Readonly<Record<SnapshotEventName, string>> = {
  'proposal/created': 'A new proposal',
  'proposal/start': 'Voting has begun',
  'proposal/end': 'Voting has ended',
  'proposal/deleted': 'A proposal was withdrawn',
};

const [maxTitle, maxBody, maxChoices] = [256, 400, 5];

/** What happened to a proposal, and the proposal itself if the hub shows it. */
export interface News {
  event: SnapshotEventName;
  space: string;
  proposalId: string;
  proposal: SnapshotProposal | undefined;
}

/** Writes the message for a Discord channel. Text by the proposal's author pings no one. */
export function writeMessage(news: News): Record<string, unknown> {
  const { event, space, proposal } = news;
  const name = proposal?.space.name ?? space;
  const url = addressOf(news);
  const embed = {
    author: { name: shorten(name, maxTitle) },
    title: shorten(proposal?.title ?? headlines[event], maxTitle),
    ...(event !== 'proposal/deleted' && { url }),
    ...(proposal !== undefined && describe(event, proposal)),
  };
  return { content: `**${headlines[event]}** in ${escapeMarkdown(shorten(name, maxTitle))}`, embeds: [embed] };
}

/** The same for a Telegram group, in plain text: nothing in it can ping a member or look like a link. */
export function writeText(news: News): TelegramPost {
  const { event, space, proposal } = news;
  const lines = [
    `${headlines[event]} in ${shorten(proposal?.space.name ?? space, maxTitle)}`,
    ...(proposal === undefined ? [] : ['', withoutNames(shorten(proposal.title, maxTitle)), ...factsOf(proposal)]),
  ];
  const buttons = event === 'proposal/deleted' ? [] : [[{ text: 'Open on Snapshot', url: addressOf(news) }]];
  return { text: lines.join('\n'), buttons };
}

function factsOf({ choices, startsAtSeconds, endsAtSeconds }: SnapshotProposal): string[] {
  const time = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return [
    '',
    `Begins: ${time(startsAtSeconds)}`,
    `Ends: ${time(endsAtSeconds)}`,
    ...shownChoices(choices).map(withoutNames),
  ];
}

function shownChoices(choices: readonly string[]): string[] {
  const shown = choices.slice(0, maxChoices).map((choice) => `• ${shorten(choice, 100)}`);
  return choices.length > maxChoices ? [...shown, `• and ${choices.length - maxChoices} more`] : shown;
}

// Telegram turns every @name into a mention and every /word into a command, regardless of who sends the message.
function withoutNames(text: string): string {
  return text.replace(/[@/](?=\w)/g, '$&\u200b');
}

function addressOf({ space, proposalId, proposal }: News): string {
  return linkOf(proposal?.link) ?? `https://snapshot.org/#/${space}/proposal/${encodeURIComponent(proposalId)}`;
}

function describe(event: SnapshotEventName, proposal: SnapshotProposal): Record<string, unknown> {
  const { body, choices, startsAtSeconds, endsAtSeconds } = proposal;
  const time = (name: string, seconds: number) => ({ name, value: `<t:${seconds}:f>`, inline: true });
  const shown = shownChoices(choices);
  return {
    ...(event !== 'proposal/end' && body !== '' && { description: shorten(body, maxBody) }),
    fields: [
      time('Begins', startsAtSeconds),
      time('Ends', endsAtSeconds),
      ...(shown.length === 0 ? [] : [{ name: 'Choices', value: shown.join('\n') }]),
    ],
  };
}

// The hub's response may contain any URL; only web pages may be linked.
function linkOf(link: string | undefined): string | undefined {
  const url = link === undefined ? null : URL.parse(link);
  return url?.protocol === 'https:' ? url.href : undefined;
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>[\]()<@#]/g, '\\$&');
}
