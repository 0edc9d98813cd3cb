import type { SnapshotProposal } from '../../ports/index.ts';
import type { SnapshotEventName } from './snapshot.ts';

const headlines: Readonly<Record<SnapshotEventName, string>> = {
  'proposal/created': 'A new proposal',
  'proposal/start': 'Voting has begun',
  'proposal/end': 'Voting has ended',
  'proposal/deleted': 'A proposal was taken back',
};

const [maxTitle, maxBody, maxChoices] = [256, 400, 5];

/** The message that a channel is shown. Words of the proposal's author ping nobody. */
export function writeMessage(
  event: SnapshotEventName,
  space: string,
  proposalId: string,
  proposal: SnapshotProposal | undefined,
): Record<string, unknown> {
  const name = proposal?.space.name ?? space;
  const url = linkOf(proposal?.link) ?? `https://snapshot.org/#/${space}/proposal/${encodeURIComponent(proposalId)}`;
  const embed = {
    author: { name: shorten(name, maxTitle) },
    title: shorten(proposal?.title ?? headlines[event], maxTitle),
    ...(event !== 'proposal/deleted' && { url }),
    ...(proposal !== undefined && describe(event, proposal)),
  };
  return { content: `**${headlines[event]}** in ${escapeMarkdown(shorten(name, maxTitle))}`, embeds: [embed] };
}

function describe(event: SnapshotEventName, proposal: SnapshotProposal): Record<string, unknown> {
  const { body, choices, startsAtSeconds, endsAtSeconds } = proposal;
  const time = (name: string, seconds: number) => ({ name, value: `<t:${seconds}:f>`, inline: true });
  const shown = choices.slice(0, maxChoices).map((choice) => `• ${shorten(choice, 100)}`);
  if (choices.length > maxChoices) shown.push(`• and ${choices.length - maxChoices} more`);
  return {
    ...(event !== 'proposal/end' && body !== '' && { description: shorten(body, maxBody) }),
    fields: [
      time('Begins', startsAtSeconds),
      time('Ends', endsAtSeconds),
      ...(shown.length === 0 ? [] : [{ name: 'Choices', value: shown.join('\n') }]),
    ],
  };
}

// The hub's answer may name any address; people should be led to pages only.
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
